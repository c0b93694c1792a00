import BenchPeers
import BenchReports

extension Report {
    /// A report with the versions of all that take part, the ratios to reach and the recommendations.
    init(_ job: ReportJob, title: String, facts: [String] = [], notes: [String] = [], tables: [ReportTable]) {
        self.init(
            job, title: title, facts: facts, notes: notes, tables: tables, versions: Versions.all, targets: Reach.all,
            recommendations: Advice.list)
    }
}
