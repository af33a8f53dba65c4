print("nobody declared this")
