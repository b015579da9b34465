"""The calibration of the judge: how often its verdicts are wrong, found by simulation.

`noise` draws what seeds could look like, `judging` judges thousands of experiments at once as
`pytest_claims.verdicts` judges one, `simulation` counts the verdicts, `tables` writes them down, and
`cautions` says beside a claim which of the rates found touches it.
"""
