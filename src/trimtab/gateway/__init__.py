"""The gateway: any client by its base URL. Not whole yet: what a request claims, what is forwarded of it, what is left alone."""
