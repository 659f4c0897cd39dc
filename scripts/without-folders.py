"""Takes the folder of the sources out of a wheel's bill of materials, in which maturin writes it: `without-folders.py WHEEL FOLDER`."""

import base64
import hashlib
import sys
import zipfile

path, folder = sys.argv[1:]
with zipfile.ZipFile(path) as wheel:
    files = {entry: wheel.read(entry) for entry in wheel.infolist()}
lines = {}
for entry, content in files.items():
    if entry.filename.endswith(".cyclonedx.json"):
        content = files[entry] = content.replace(f"file://{folder}".encode(), b"file:///hype")
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        lines[entry.filename] = f"{entry.filename},sha256={digest},{len(content)}"
for entry, content in files.items():
    if entry.filename.endswith(".dist-info/RECORD"):
        record = content.decode().splitlines()
        files[entry] = "".join(f"{lines.get(line.split(',')[0], line)}\n" for line in record).encode()
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
    for entry, content in files.items():
        wheel.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
