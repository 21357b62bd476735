"""No test goes beyond this machine: a connection to elsewhere fails it."""

import ipaddress
import socket
from typing import Any

import pytest

_connect, _connect_ex = socket.socket.connect, socket.socket.connect_ex
_sendto, _getaddrinfo = socket.socket.sendto, socket.getaddrinfo


def is_here(host: Any) -> bool:
    """Tell whether a host is this machine, by its name or its address."""
    if isinstance(host, (bytes, bytearray)):
        host = host.decode()
    if host in (None, "", "localhost", "localhost.localdomain", socket.gethostname()):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    # An address without a route is what one binds to.
    return address.is_loopback or address.is_unspecified


def check(address: Any) -> None:
    """Fail the test, by what no `except Exception` catches, if an address is elsewhere.

    That of a Unix socket is a path.
    """
    if isinstance(address, tuple) and not is_here(address[0]):
        pytest.fail(f"A test opens a connection to {address}. Use 127.0.0.1.")


def guard() -> None:
    """Have sockets check where they go; processes of a test are started without."""

    def connect(self: socket.socket, address: Any) -> None:
        # A datagram socket sends nothing when it connects: that finds one's address.
        if self.type != socket.SOCK_DGRAM:
            check(address)
        _connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        if self.type != socket.SOCK_DGRAM:
            check(address)
        return _connect_ex(self, address)

    def sendto(self: socket.socket, data: Any, *arguments: Any) -> int:
        check(arguments[-1])
        return _sendto(self, data, *arguments)

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        check((host,))
        return _getaddrinfo(host, *arguments, **options)

    socket.socket.connect, socket.socket.connect_ex = connect, connect_ex
    socket.socket.sendto, socket.getaddrinfo = sendto, getaddrinfo
