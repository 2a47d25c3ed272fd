# SPDX-License-Identifier: Apache-2.0
"""Runs a Pulumi program written in Python against a resource monitor. Exit 0: well; 32: the error was logged; 1: it was not."""

import argparse
import asyncio
import concurrent.futures
import ctypes
import importlib.util
import itertools
import os
import runpy
import signal
import subprocess
import sys
import traceback

try:
    import pulumi
    import pulumi.runtime
except ImportError:
    sys.exit(
        "the Python package 'pulumi' is not installed for "
        + sys.executable
        + ": name a virtual environment that has it in Pulumi.yaml (runtime: {name: python, options: {virtualenv: FOLDER}})"
        + " or activate one (VIRTUAL_ENV); in Palisade's repository, make sdk makes build/sdk/venv with pulumi and both SDKs"
    )


def parse():
    parser = argparse.ArgumentParser()
    for name in ("monitor", "engine", "organization", "project", "root_directory", "stack", "dry_run", "parallel"):
        parser.add_argument("--" + name)
    parser.add_argument("--typechecker")
    parser.add_argument("--exclude")
    parser.add_argument("main")
    return parser.parse_args()


def check_types(name, exclude, folder):
    """Whether the type checker finds nothing. Ref: pulumi-language-python Run."""
    if importlib.util.find_spec(name) is None:
        pulumi.log.error(
            "Pulumi.yaml: runtime.options.typechecker: " + name + " is not installed for " + sys.executable
            + ": install it there, or remove the option"
        )
        return False
    excluded = [] if exclude is None else ["--exclude", exclude]
    checked = subprocess.run([sys.executable, "-m", name, *excluded, folder], cwd=folder)
    if checked.returncode != 0:
        pulumi.log.error(name + " found faults in the program (exit code " + str(checked.returncode) + ")")
    return checked.returncode == 0


def end_with_engine():
    """A killed engine leaves no program behind that waits for it without end. Ref: prctl(2), PR_SET_PDEATHSIG."""
    PR_SET_PDEATHSIG = 1
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def is_ours(frame):
    """Whether it stands between this runner and the program: the SDK, the event loop, the importer."""
    above = (__file__, *(os.path.dirname(package.__file__) + os.sep for package in (pulumi, asyncio)), runpy.__file__)
    return frame.filename.startswith((*above, "<frozen "))


def own_traceback(error):
    """The traceback from the program's first frame on. A program that cannot be read has none; its error names file and line."""
    told = traceback.TracebackException.from_exception(error)
    above = len(list(itertools.takewhile(is_ours, told.stack)))
    if above < len(told.stack):
        del told.stack[:above]  # not those of its causes: they begin in the program
    elif isinstance(error, SyntaxError):
        return "".join(told.format_exception_only())
    return "".join(told.format())


def exit_code(error):
    """What the interpreter makes of SystemExit: a number is the code, nothing is 0, any other value is printed."""
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)
    return 1


def main():
    end_with_engine()
    args = parse()
    parallel = max(1, int(args.parallel))
    pulumi.runtime.set_all_config(pulumi.runtime.get_config_env(), pulumi.runtime.get_config_secret_keys_env())
    pulumi.runtime.configure(
        pulumi.runtime.Settings(
            monitor=args.monitor,
            engine=args.engine,
            project=args.project,
            root_directory=args.root_directory,
            stack=args.stack,
            parallel=parallel,
            dry_run=args.dry_run == "true",
            organization=args.organization,
        )
    )
    entry = os.path.abspath(args.main)
    folder = entry if os.path.isdir(entry) else os.path.dirname(entry)
    sys.path.insert(0, folder)
    if args.typechecker is not None and not check_types(args.typechecker, args.exclude, folder):
        return 32
    sys.argv = [entry]
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    # Every registration in flight holds a thread while it waits.
    loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(max_workers=parallel * 4))
    try:
        loop.run_until_complete(
            pulumi.runtime.run_in_stack(lambda: runpy.run_path(entry, run_name="__main__"))
        )
        return 0
    except pulumi.RunError as error:
        pulumi.log.error(str(error))
    except SystemExit as error:
        return exit_code(error)
    except Exception as error:
        pulumi.log.error("Program failed with an unhandled exception:\n" + own_traceback(error))
    finally:
        loop.run_until_complete(asyncio.sleep(0))
    return 32


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
