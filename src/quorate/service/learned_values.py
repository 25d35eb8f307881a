"""What was learned about seats, as figures on a verdict."""

from quorate.evaluate.learned_figures import LearnedFigures, learned_document, learned_figures

__all__ = ["LearnedFigures", "learned_document", "learned_figures"]
