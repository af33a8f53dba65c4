"""world_left - prints the processes of the sandbox besides the first one, this one, and those that it came from"""

import os


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


own, pid = {1}, os.getpid()
while pid > 1:
    own.add(pid)
    pid = int(read(pid, "stat").rsplit(")", 1)[1].split()[1])
for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):
    words = read(pid, "cmdline").replace("\0", " ").strip()
    if pid not in own and words:
        print(words)
