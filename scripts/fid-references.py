"""Computes FID by the Python packages pytorch-fid and clean-fid, both with one Inception network of random weights.

Usage: fid-references.py SEED ONE OTHER STATISTICS

Prints the values of the folders ONE and OTHER as JSON, and writes pytorch-fid's statistics of OTHER. The packages read the
weights as they read the published ones: from files. Runs in the environment that `install-fid-packages` makes.
"""

import importlib
import json
import os
import sys
import tempfile

import torch

seed, one, other, statistics = sys.argv[1:]
arrays = {}
importlib.import_module("inception-to-onnx").graph(arrays, int(seed))
state = {name: torch.from_numpy(values) for name, values in arrays.items()}
# The classifier, which FID does not use.
state |= {"fc.weight": torch.zeros(1008, 2048), "fc.bias": torch.zeros(1008)}
folder = tempfile.mkdtemp()
os.environ["TORCH_HOME"] = folder
os.makedirs(f"{folder}/hub/checkpoints")
torch.save(state, f"{folder}/hub/checkpoints/pt_inception-2015-12-05-6726825d.pth")

from cleanfid import fid
from cleanfid.inception_torchscript import InceptionV3W
from pytorch_fid import fid_score
from pytorch_fid.inception import InceptionV3

# Images of different sizes are not put into one batch by pytorch-fid, which resizes in the network.
found = {"pytorch-fid": fid_score.calculate_fid_given_paths([one, other], 1, "cpu", 2048, 0)}
fid_score.save_fid_stats([other, statistics], 1, "cpu", 2048, 0)


class Published(torch.nn.Module):
    """The form of the network that clean-fid reads."""

    def __init__(self):
        super().__init__()
        blocks = InceptionV3([3], resize_input=False, normalize_input=False).eval().blocks
        self.layers = torch.nn.Sequential(*blocks)

    def forward(self, images):
        return self.layers(images)


torch.jit.trace(Published().eval(), torch.zeros(2, 3, 299, 299)).save(f"{folder}/inception-2015-12-05.pt")
network = InceptionV3W(folder, download=False).eval()
found["clean-fid"] = fid.compute_fid(
    one, other, mode="clean", custom_feat_extractor=network, num_workers=0, device=torch.device("cpu"), verbose=False)
print(json.dumps(found))
