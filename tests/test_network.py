"""A test that opens a connection beyond this machine fails, and others do not."""

import socket
import urllib.request

import pytest

# Of a network for documentation, which has no host: RFC 5737.
NOWHERE = "192.0.2.1"


@pytest.mark.parametrize(
    "call",
    [
        lambda: socket.create_connection((NOWHERE, 80), timeout=0.01),
        lambda: socket.create_connection(("example.org", 80), timeout=0.01),
        lambda: socket.getaddrinfo("example.org", 80),
        lambda: urllib.request.urlopen("http://example.org", timeout=0.01),
    ],
    ids=["address", "name", "look up", "urllib"],
)
def test_a_connection_fails_the_test(call):
    with pytest.raises(pytest.fail.Exception, match=r"opens a connection to"):
        call()


def test_sockets_that_raise_no_error_fail_it_too():
    with socket.socket() as stream, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        stream.settimeout(0.01)
        with pytest.raises(pytest.fail.Exception, match=r"Use 127\.0\.0\.1"):
            stream.connect_ex((NOWHERE, 80))
        with pytest.raises(pytest.fail.Exception, match=r"Use 127\.0\.0\.1"):
            datagrams.sendto(b"", (NOWHERE, 9))


def test_this_machine_is_open():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname(), timeout=5.0) as client,
    ):
        client.sendall(b"x")
        accepted, _ = server.accept()
        with accepted:
            assert accepted.recv(1) == b"x"
    assert socket.getaddrinfo("localhost", 80)
