"""Whether KVM really works here: some machines offer a /dev/kvm in which an ordinary kernel never comes up."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import tempfile
from pathlib import Path

import machine
from common import CACHE, run, say
from image import Image

PATIENCE = 15  # seconds; with a KVM that works the probe takes two or three
# Without a disk the kernel gets as far as looking for one, gives up and resets, and -no-reboot makes QEMU end there.
PROBE_LINE = "console=ttyS0 panic=-1 root=/dev/none"
PROBE_PASSED = "Unable to mount root fs"
CHOICES = ("auto", "kvm", "tcg")


def choose(image: Image, choice: str) -> str:
    """'kvm' or 'tcg'; with 'auto' KVM is tried once, and the answer is kept until kernel, QEMU or image change."""
    if choice != "auto":
        say(f"acceleration: {choice}, as asked for")
        return choice
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        say("acceleration: tcg (software emulation), because there is no /dev/kvm that we may use")
        return "tcg"
    answers = CACHE / "kvm.json"
    question = f"{platform.release()} {run(['qemu-system-x86_64', '--version']).splitlines()[0]} {image.folder.name}"
    known = json.loads(answers.read_text()) if answers.exists() else {}
    if question not in known:
        known = {question: _kvm_obstacle(image)}
        answers.write_text(json.dumps(known, indent=2) + "\n")
    if not known[question]:
        say("acceleration: kvm")
        return "kvm"
    say(f"acceleration: tcg (software emulation), because KVM does not work here: {known[question]}")
    return "tcg"


def _kvm_obstacle(image: Image) -> str:
    """Why a kernel does not come up under KVM; empty if it does."""
    say(f"trying KVM, for {PATIENCE} s at most")
    with tempfile.TemporaryDirectory(prefix="linuxnet-lab-kvm-") as folder:
        console = Path(folder) / "console.log"
        argv = [
            "qemu-system-x86_64",
            *machine.MACHINE,
            *machine.accel_arguments("kvm"),
            *("-smp", "2", "-m", "512M", "-no-reboot", "-serial", f"file:{console}"),
            *("-kernel", str(image.kernel), "-append", PROBE_LINE),
        ]
        try:
            done = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"its kernel hangs (tried for {PATIENCE} s)"
        if console.exists() and PROBE_PASSED in console.read_text(errors="replace"):
            return ""
        return (done.stdout.strip().splitlines() or ["its kernel ended without a word"])[0]
