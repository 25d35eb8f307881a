"""Measuring panels: evaluated, simulated, learned from."""

from quorate.evaluate.datasets import load_votes
from quorate.evaluate.evaluation import Evaluation, evaluate_votes
from quorate.evaluate.evaluation_page import evaluation_html, evaluation_lines, text_table
from quorate.evaluate.gate_page import gate_lines, gate_report, gate_svg
from quorate.evaluate.gate_votes import load_gate_votes
from quorate.evaluate.learning_report import LearningReport, learn_from
from quorate.evaluate.live_votes import LabelledLine, SeatCost, labelled_lines, votes_of
from quorate.evaluate.recommendation import ASSUMPTIONS, Recommendation, Simulation, SimulationPlan, simulate_panel
from quorate.evaluate.seat_report import report_seats
from quorate.evaluate.simulation import SimulatedSeat, SimulatedTalk
from quorate.evaluate.skill_fit import SkillModel, expected_accuracy, fit_skills
from quorate.evaluate.target_page import point_lines, target_html, target_lines
from quorate.evaluate.targets import CostPoint, TargetRow, cost_points, target_rows
from quorate.evaluate.votes import VoteTable

__all__ = [
    "ASSUMPTIONS",
    "CostPoint",
    "Evaluation",
    "LabelledLine",
    "LearningReport",
    "Recommendation",
    "SeatCost",
    "SimulatedSeat",
    "SimulatedTalk",
    "Simulation",
    "SimulationPlan",
    "SkillModel",
    "TargetRow",
    "VoteTable",
    "cost_points",
    "evaluate_votes",
    "evaluation_html",
    "evaluation_lines",
    "expected_accuracy",
    "fit_skills",
    "gate_lines",
    "gate_report",
    "gate_svg",
    "labelled_lines",
    "learn_from",
    "load_gate_votes",
    "load_votes",
    "point_lines",
    "report_seats",
    "simulate_panel",
    "target_html",
    "target_lines",
    "target_rows",
    "text_table",
    "votes_of",
]
