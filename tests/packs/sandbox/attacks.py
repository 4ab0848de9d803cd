"""What an intruder inside a decoder would try. Each is Python that must raise; `parent` is the worker's process id."""

_RAW = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*(ctypes.c_long(each) for each in arguments)) < 0:
        raise OSError(ctypes.get_errno(), "refused")
"""

READ_SECRETS = {
    "the worker's environment": "result = open(f'/proc/{parent}/environ', 'rb').read().decode('latin-1')",
    "the worker's memory": "open(f'/proc/{parent}/mem', 'rb').read(1)",
    "the worker's memory map": "open(f'/proc/{parent}/maps').read(10)",
    "the worker's files": "import os; os.listdir(f'/proc/{parent}/fd')",
    "every process's environment": "open('/proc/1/environ', 'rb').read(1)",
    "accounts of the machine": "open('/etc/passwd').read()",
    "what lies in /tmp": "import os; os.listdir('/tmp')",
    "the worker's memory, by a system call": _RAW
    + "b = ctypes.create_string_buffer(16)\n"
    + "v = (ctypes.c_size_t * 2)(ctypes.addressof(b), 16)\n"
    + "call(310, parent, ctypes.addressof(v), 1, ctypes.addressof(v), 1, 0)",
    "the worker, by ptrace": _RAW + "call(101, 16, parent, 0, 0)",
}

REACH_OUT = {
    "TCP to the database": "import socket; socket.create_connection(('127.0.0.1', port), timeout=2)",
    "UDP": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "a Unix socket": "import socket; socket.socket(socket.AF_UNIX)",
    "a raw socket": "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "netlink": "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
    "a pair of sockets": "import socket; socket.socketpair()",
    "a name": "import socket; socket.getaddrinfo('example.com', 443)",
    "io_uring": _RAW + "b = ctypes.create_string_buffer(256)\ncall(425, 4, ctypes.addressof(b))",
}

START_PROCESSES = {
    "fork": "import os; os.fork()",
    "vfork": _RAW + "call(58)",
    "exec": "import os; os.execv('/bin/sh', ['sh', '-c', 'true'])",
    "exec of a descriptor": _RAW + "call(322, 0, ctypes.addressof(ctypes.create_string_buffer(b'/bin/sh')), 0, 0, 0)",
    "a shell": "import os\nif os.system('true') != 0: raise OSError(1, 'refused')",
    "subprocess": "import subprocess; subprocess.run(['true'])",
    "clone without threads": _RAW + "call(56, 17, 0, 0, 0, 0)",
    "clone3": _RAW + "b = ctypes.create_string_buffer(88)\ncall(435, ctypes.addressof(b), 88)",
}

WRITE = {
    "a new file": "open('/tmp/dpp-sandbox-was-here', 'w')",
    "a file that exists": "open(file, 'r+')",
    "at a file's end": "open(file, 'a')",
    "a file without a name": "import os; os.open('/tmp', os.O_TMPFILE | os.O_RDWR)",
    "shared memory": "open('/dev/shm/dpp-sandbox', 'w')",
    "a file in memory": "import os; os.memfd_create('x')",
    "deleting": "import os; os.unlink(file)",
    "renaming": "import os; os.rename(file, file + '2')",
    "a folder": "import os; os.mkdir('/tmp/dpp-sandbox-folder')",
    "a link": "import os; os.symlink(file, '/tmp/dpp-sandbox-link')",
    "other rights": "import os; os.chmod(file, 0o777)",
    "cutting": "import os; os.truncate(file, 0)",
    "other times": "import os; os.utime(file)",
}

TAKE_MORE = {
    "more memory": "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))",
    "more processor time": "import resource; resource.setrlimit(resource.RLIMIT_CPU, (10**6, 10**6))",
    "more files": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))",
    "files to write": "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2**40, 2**40))",
    "no hard limit": "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "the worker's limits": "import resource; resource.prlimit(parent, resource.RLIMIT_NOFILE, (1, 1))",
    "two gigabytes": "bytearray(2 << 30)",
    "a thousand files": "files = [open('/dev/null') for _ in range(1000)]",
    "to be root again": "import os; os.setuid(0) if os.getuid() else os.setgroups([0])",
    "to be seen again": _RAW + "call(157, 4, 1, 0, 0, 0)",
    "a namespace": _RAW + "call(272, 0x10000000)",
    "a mount": _RAW + "call(165, 0, 0, 0, 0, 0)",
    "a filter of its own": _RAW + "call(317, 1, 0, 0)",
    "programs in the kernel": _RAW + "call(321, 0, 0, 0)",
    "keys of the kernel": _RAW + "call(250, 0, 0, 0)",
}

HARM_OTHERS = {
    "killing the worker": "import os; os.kill(parent, 9)",
    "stopping the worker": "import os; os.kill(parent, 19)",
    "asking for the worker": "import os; os.kill(parent, 0)",
    "killing every process": "import os; os.kill(-1, 9)",
    "killing the group": "import os; os.killpg(0, 9)",
    "killing by descriptor": _RAW + "call(434, parent, 0)",
    "killing a thread": _RAW + "call(200, parent, 9)",
    "slowing the worker": "import os; os.setpriority(os.PRIO_PROCESS, parent, 19)",
}

ALL = {
    f"{kind}: {name}": code
    for kind, attacks in {
        "read": READ_SECRETS,
        "reach": REACH_OUT,
        "start": START_PROCESSES,
        "write": WRITE,
        "take": TAKE_MORE,
        "harm": HARM_OTHERS,
    }.items()
    for name, code in attacks.items()
}
