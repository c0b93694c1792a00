import StrataModel
import StrataQuery
import StrataStore

@testable import StrataSQLite

extension StatementSnapshot {
    /// What quantifiers, aggregates and subqueries over relationships become.
    static let collections: [StatementSnapshot] = [
        .condition(
            "Person", "ANY reports.age > 2",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE EXISTS (SELECT 1
            FROM ZPERSON t1
            WHERE t1.ZBOSS = t0.Z_PK AND t1.ZAGE > ?); -- 2
            -- by scan
            """
        ),
        .condition(
            "Person", "ALL reports.age > 2",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE NOT EXISTS (SELECT 1
            FROM ZPERSON t1
            WHERE t1.ZBOSS = t0.Z_PK AND ((t1.ZAGE > ?) IS NOT TRUE)); -- 2
            -- by scan
            """
        ),
        .condition(
            "Person", "NONE reports.name == nil",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE NOT EXISTS (SELECT 1
            FROM ZPERSON t1
            WHERE t1.ZBOSS = t0.Z_PK AND t1.ZNAME IS NULL);
            -- by scan
            """
        ),
        .condition(
            "Person", "ANY reports.email == 'x'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.Z_PK IN (SELECT t1.ZBOSS
            FROM ZPERSON t1
            WHERE t1.ZEMAIL = ?); -- 'x'
            -- by key
            """
        ),
        .condition(
            "Person", "reports.@count > 2",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE (SELECT count(*)
            FROM ZPERSON t1
            WHERE t1.ZBOSS = t0.Z_PK) > ?; -- 2
            -- by scan
            """
        ),
        .condition(
            "Person", "reports.rate.@avg > 1",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE (SELECT CASE WHEN max(t1.ZRATE) > 9e999 THEN strata_core() WHEN count(t1.ZRATE) > 0 THEN ifnull(sum(t1.ZRATE) /
            count(t1.ZRATE), strata_core()) END
            FROM ZPERSON t1
            WHERE t1.ZBOSS = t0.Z_PK) > ?; -- 1
            -- by scan
            """
        ),
        .condition(
            "Person", "ANY projects.title == 'x'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE EXISTS (SELECT 1
            FROM Z_2PROJECTS t1
            JOIN ZPROJECT t2 ON t2.Z_PK = t1.Z_4PROJECTS
            WHERE t1.Z_2MEMBERS = t0.Z_PK AND t2.ZTITLE = ?); -- 'x'
            -- by scan
            """
        ),
        .condition(
            "Person", "projects.cost.@sum > 10",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE (SELECT ifnull(sum(t2.ZCOST), 0)
            FROM Z_2PROJECTS t1
            JOIN ZPROJECT t2 ON t2.Z_PK = t1.Z_4PROJECTS
            WHERE t1.Z_2MEMBERS = t0.Z_PK) > ?; -- 10
            -- by scan
            """
        ),
        .condition(
            "Person", "SUBQUERY(reports, $r, $r.age > 1 AND $r.boss.age > $r.age).@count > 0",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE EXISTS (SELECT 1
            FROM ZPERSON t1
            LEFT JOIN ZPERSON t2 ON t2.Z_PK = t1.ZBOSS
            WHERE t1.ZBOSS = t0.Z_PK AND t1.ZAGE > ? AND t2.ZAGE > t1.ZAGE); -- 1
            -- by scan
            """
        ),
        .condition(
            "Person", "ANY dept.people.age == 1",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE EXISTS (SELECT 1
            FROM ZDEPT t1
            JOIN ZPERSON t2 ON t2.ZDEPT = t1.Z_PK
            WHERE t1.Z_PK = t0.ZDEPT AND t2.ZAGE = ?); -- 1
            -- by scan
            """
        ),
        .condition(
            "Person", "SELF IN dept.people",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE EXISTS (SELECT 1
            FROM ZDEPT t1
            JOIN ZPERSON t2 ON t2.ZDEPT = t1.Z_PK
            WHERE t1.Z_PK = t0.ZDEPT AND t2.Z_PK IS t0.Z_PK);
            -- by scan
            """
        ),
        .condition(
            "Person", "ANY projects.members.age > 3",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE EXISTS (SELECT 1
            FROM Z_2PROJECTS t1
            JOIN ZPROJECT t2 ON t2.Z_PK = t1.Z_4PROJECTS
            JOIN Z_2PROJECTS t3 ON t3.Z_4PROJECTS = t2.Z_PK
            JOIN ZPERSON t4 ON t4.Z_PK = t3.Z_2MEMBERS
            WHERE t1.Z_2MEMBERS = t0.Z_PK AND t4.ZAGE > ?); -- 3
            -- by scan
            """
        ),
    ]
}
