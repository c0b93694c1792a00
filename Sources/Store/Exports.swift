// The modules whose types the boundary's declarations name: rows and models, conditions and their evaluation, texts, and files.
@_exported public import StrataEvaluation
@_exported public import StrataFiles
@_exported public import StrataText
