import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataText

@testable import StrataSQLite

extension StatementSnapshot {
    /// What the rest of a fetch becomes.
    static let results: [StatementSnapshot] = [
        .fetch(
            "Sorted, with a slice", "Person", "age > 1", sort: [QuerySort("name"), QuerySort("age", ascending: false)], limit: 10,
            offset: 20,
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZAGE > ?
            ORDER BY t0.ZNAME, t0.ZAGE DESC, t0.Z_PK
            LIMIT ? OFFSET ?; -- 1, 10, 20
            -- by Z_Person_byAge
            """
        ),
        .fetch(
            "Sorted along an index", "Person", sort: [QuerySort("age")], limit: 10,
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            ORDER BY t0.ZAGE, t0.Z_PK
            LIMIT ?; -- 10
            -- by scan
            """
        ),
        .fetch(
            "Sorted by what a path leads to", "Person", sort: [QuerySort("dept.title")],
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            LEFT JOIN ZDEPT t1 ON t1.Z_PK = t0.ZDEPT
            ORDER BY t1.ZTITLE, t0.Z_PK;
            -- by scan
            """
        ),
        .fetch(
            "Sorted without regard to case and accents", "Person", sort: [QuerySort("name", [.caseInsensitive, .diacriticInsensitive])],
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            ORDER BY strata_key(3, t0.ZNAME), t0.Z_PK;
            -- by scan
            """
        ),
        .fetch(
            "Sorted by decimals", "Person", sort: [QuerySort("pay")], limit: 5,
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            ORDER BY strata_decimal_key(t0.ZPAY), t0.Z_PK
            LIMIT ?; -- 5
            -- by scan
            """
        ),
        .fetch(
            "A slice alone", "Person", limit: 5, offset: 5,
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            ORDER BY t0.Z_PK
            LIMIT ? OFFSET ?; -- 5, 5
            -- by scan
            """
        ),
        .fetch(
            "Rows", "Step", "hours > 1", result: { _ in .rows },
            """
            SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZHOURS, t0.ZPROJECT, t0.Z_FOK_PROJECT, t0.ZTITLE
            FROM ZSTEP t0
            WHERE t0.ZHOURS > ?; -- 1
            -- by scan
            """
        ),
        .fetch(
            "Rows of a hierarchy", "Person", result: { _ in .rows },
            """
            SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAGE, t0.ZBORN, t0.ZBOSS, t0.Z2_BOSS, t0.ZDEPT, t0.ZEMAIL, t0.ZNAME, t0.ZPAY,
            t0.ZPHOTO, t0.ZRATE, t0.ZBONUS
            FROM ZPERSON t0;
            -- by scan
            """
        ),
        .fetch(
            "Rows without those of sub-entities", "Person", "age == 30", includesSubentities: false,
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZAGE = ? AND +t0.Z_ENT IN (2); -- 30
            -- by Z_Person_byAge
            """
        ),
        .fetch(
            "Rows of a sub-entity", "Manager", "bonus > 1",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZBONUS > ? AND +t0.Z_ENT IN (3); -- 1
            -- by scan
            """
        ),
        .fetch(
            "A count", "Person", "age > 1", result: { _ in .count },
            """
            SELECT count(*)
            FROM ZPERSON t0
            WHERE t0.ZAGE > ?; -- 1
            -- by Z_Person_byAge
            """
        ),
        .fetch(
            "Values", "Person", sort: [QuerySort("name")], limit: 3,
            result: { .values(ValuePlan([try $0.path("name", "Person"), try $0.path("boss.name", "Person")])) },
            """
            SELECT t0.Z_PK, t0.ZNAME, t1.ZNAME
            FROM ZPERSON t0
            LEFT JOIN ZPERSON t1 ON t1.Z_PK = t0.ZBOSS
            ORDER BY t0.ZNAME, t0.Z_PK
            LIMIT ?; -- 3
            -- by scan
            """
        ),
        .fetch(
            "Distinct values", "Person", limit: 3, result: { .values(ValuePlan([try $0.path("age", "Person")], isDistinct: true)) },
            """
            SELECT t0.Z_PK, t0.ZAGE
            FROM ZPERSON t0;
            -- by scan
            """
        ),
        .fetch(
            "Groups along an index", "Person",
            result: {
                .groups(
                    GroupPlan(
                        keys: [try $0.path("age", "Person")], aggregates: [.init(.count, nil), .init(.sum, try $0.path("age", "Person"))]))
            },
            """
            SELECT t0.ZAGE, count(*), sum(t0.ZAGE), count(t0.ZAGE)
            FROM ZPERSON t0
            GROUP BY t0.ZAGE;
            -- by scan
            """
        ),
        .fetch(
            "Groups without an index", "Person", "age > 1",
            result: {
                .groups(
                    GroupPlan(keys: [try $0.path("dept.title", "Person")], aggregates: [.init(.average, try $0.path("rate", "Person"))]))
            },
            """
            SELECT t1.ZTITLE, t0.ZRATE
            FROM ZPERSON t0
            LEFT JOIN ZDEPT t1 ON t1.Z_PK = t0.ZDEPT
            WHERE t0.ZAGE > ?; -- 1
            -- by Z_Person_byAge
            """
        ),
        .fetch(
            "One group of all", "Person",
            result: {
                .groups(
                    GroupPlan(
                        keys: [], aggregates: [.init(.min, try $0.path("rate", "Person")), .init(.max, try $0.path("age", "Person"))]))
            },
            """
            SELECT min(t0.ZRATE), max(t0.ZRATE), max(t0.ZAGE)
            FROM ZPERSON t0;
            -- by scan
            """
        ),
    ]
}
