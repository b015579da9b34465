"""TransformerLens as the independent implementation: it shares no code with the models and probes."""

import warnings
from typing import Any

import pytest
from torch import Tensor


def booted(config: dict[str, Any], state: dict[str, Tensor]) -> Any:
    """A `TransformerBridge` with these parameters, or a skipped test where TransformerLens is not installed.

    Args:
        config: What `boot_native` takes.
        state: Parameters under TransformerLens's names.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies, while they are imported
        pytest.importorskip("transformer_lens", reason="needs transformer-lens, of the extra dev")
        from transformer_lens.model_bridge import TransformerBridge
        from transformer_lens.utilities.tl_checkpoint_conversion import convert_tl_checkpoint

        bridge = TransformerBridge.boot_native(config)
    bridge.load_state_dict(convert_tl_checkpoint(state, bridge.cfg))
    return bridge
