/// The names of the participants that keep their stores on a server, which are in `AllJobs`.
enum ServerParticipant {
    static let raw = "raw libpq"
    static let serializable = "libpq, serializable"
    static let pgbench = "pgbench"
    static let strata = "Strata PostgreSQL"

    static let all: Set<String> = [raw, serializable, pgbench, strata]
}
