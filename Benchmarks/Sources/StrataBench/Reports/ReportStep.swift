import StrataWorkload

/// A step as reports show it.
protocol ReportStep: RawRepresentable where RawValue == String {
    /// What it does, in a line.
    var explanation: String { get }
    /// Whether it changes the files.
    var writes: Bool { get }
}

extension ReportStep {
    var writes: Bool { false }
}

extension ArchiveStep: ReportStep {}
extension EventStep: ReportStep {}
