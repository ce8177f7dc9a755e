//! Headers over bytes (IPv4, UDP, TCP) and pcapng.
