"""One event loop over epoll, and streams on it."""
