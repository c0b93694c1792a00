package import StrataWorkload

/// A step as reports show it.
package protocol ReportStep: RawRepresentable where RawValue == String {
    /// What it does, in a line.
    var explanation: String { get }
    /// Whether it changes the files.
    var writes: Bool { get }
}

extension ReportStep {
    package var writes: Bool { false }
}

extension ArchiveStep: ReportStep {}
extension EventStep: ReportStep {}
extension QueryStep: ReportStep {}
extension MigrationStep: ReportStep {}
