"""Runs the tests of the installed package: every function `test_*` of the modules next to this one, or of those named as arguments.

A test that needs a library which is not installed says so and is counted apart.
"""

import importlib
import sys
import traceback
import warnings
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    sys.path.insert(0, str(HERE))
    names = sys.argv[1:] or sorted(path.stem for path in HERE.glob("test_*.py"))
    passed, skipped, failed = 0, [], []
    for name in names:
        module = importlib.import_module(name)
        for test in [value for key, value in vars(module).items() if key.startswith("test_")]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    test()
                    passed += 1
                except ModuleNotFoundError as missing:
                    skipped.append(f"{name}.{test.__name__}: {missing.name} is not installed")
                except BaseException:
                    failed.append(f"{name}.{test.__name__}")
                    traceback.print_exc()
    for text in skipped:
        print(f"skipped {text}")
    for text in failed:
        print(f"FAILED {text}")
    print(f"{passed} passed, {len(skipped)} skipped, {len(failed)} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
