"""Files that cannot be read: endless, too large, closed, no text."""

import io
from pathlib import Path

import pytest

from sigarray.read._bytes import TableError, read_bytes


class TestLimits:
    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
    def test_endless_files_are_refused(self, run, device):
        if not Path(device).exists():
            pytest.skip(f"there is no {device} here")
        code, _, err = run("compare", device)
        assert code == 2
        assert "expected UTF-8 text; got the byte 0x" in err

    def test_the_first_null_is_named(self, write, run):
        path = write(b"a,b\n1,2\n3,\0\n")
        assert (
            "line 3, byte 3: expected UTF-8 text; got the byte 0x00"
            in (run("compare", path)[2])
        )

    def test_large_files_are_refused_before_they_are_read(self, monkeypatch):
        class Endless(io.RawIOBase):
            n_read = 0

            def read(self, size=-1):
                assert size > 0
                self.n_read += size
                return b"1,2\n" * (size // 4)

        stream = Endless()
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": stream}))
        message = "standard input: expected a table of at most 3145728 bytes; got more"
        with pytest.raises(TableError, match=message):
            read_bytes("-", is_text=True, most=3 * 2**20)
        assert stream.n_read == 4 * 2**20

    def test_closed_standard_input(self, monkeypatch, run):
        monkeypatch.setattr("sys.stdin", None)
        code, _, err = run("compare", "-")
        assert code == 2
        assert "standard input cannot be read: it is closed." in err
