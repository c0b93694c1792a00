/// The names of the participants that keep their stores on a server, which are built with all jobs.
package enum ServerParticipant {
    package static let raw = "raw libpq"
    package static let serializable = "libpq, serializable"
    package static let pgbench = "pgbench"
    package static let strata = "Strata PostgreSQL"

    package static let all: Set<String> = [raw, serializable, pgbench, strata]
}
