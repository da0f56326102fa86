# SPDX-License-Identifier: Apache-2.0
"""Functions numpy lacks, for expect.py."""

import math

import numpy as np

erf = np.vectorize(math.erf, otypes=[np.float64])
erfc = np.vectorize(math.erfc, otypes=[np.float64])
