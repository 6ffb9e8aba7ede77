"""pyOpenSSL at one end of an HTTPS connection.

peer.py client ROOTS ADDRESS:PORT    prints the group and the page
peer.py server CERTIFICATE KEY       prints its address; the page of each connection names the group
"""

import contextlib
import socket
import sys

from OpenSSL import SSL


def client(roots, address):
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    context.load_verify_locations(roots)
    context.set_verify(SSL.VERIFY_PEER)
    host, _, port = address.partition(":")
    connection = SSL.Connection(context, socket.create_connection((host, int(port))))
    connection.set_tlsext_host_name(b"localhost")
    connection.set_connect_state()
    connection.do_handshake()
    print("group", connection.get_group_name())
    connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    with contextlib.suppress(SSL.ZeroReturnError, SSL.SysCallError):
        while data := connection.recv(4096):
            print(data.decode(), end="")


def server(certificate, key):
    context = SSL.Context(SSL.TLS_SERVER_METHOD)
    context.use_certificate_chain_file(certificate)
    context.use_privatekey_file(key)
    listener = socket.create_server(("127.0.0.1", 0))
    print("127.0.0.1:%d" % listener.getsockname()[1], flush=True)
    while True:
        connection = SSL.Connection(context, listener.accept()[0])
        connection.set_accept_state()
        with contextlib.suppress(SSL.Error):
            connection.do_handshake()
            connection.recv(4096)
            page = f"group {connection.get_group_name()}\n".encode()
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(page), page))
            connection.shutdown()
        connection.close()


role, *arguments = sys.argv[1:]
{"client": client, "server": server}[role](*arguments)
