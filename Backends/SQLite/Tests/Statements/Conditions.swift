import StrataModel
import StrataQuery
import StrataStore

@testable import StrataSQLite

extension StatementSnapshot {
    /// What predicates become.
    static let conditions: [StatementSnapshot] = [
        .condition(
            "Person", "age == 30",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZAGE = ?; -- 30
            -- by Z_Person_byAge
            """
        ),
        .condition(
            "Person", "age != 30",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZAGE IS NOT ?; -- 30
            -- by scan
            """
        ),
        .condition(
            "Person", "age > 1 AND name == 'Ann'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZAGE > ? AND t0.ZNAME = ?; -- 1, 'Ann'
            -- by Z_Person_byAge
            """
        ),
        .condition(
            "Person", "NOT (age > 1 OR name == nil)",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE (((t0.ZAGE > ?) IS NOT TRUE) AND t0.ZNAME IS NOT NULL); -- 1
            -- by scan
            """
        ),
        .condition(
            "Person", "rate > 1.5",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE (t0.ZRATE > ? AND t0.ZRATE <= 9e999); -- 1.5
            -- by scan
            """
        ),
        .condition(
            "Person", "NOT rate <= 1.5",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE ((t0.ZRATE <= ?) IS NOT TRUE); -- 1.5
            -- by scan
            """
        ),
        .condition(
            "Person", "born < CAST(0, 'NSDate')",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZBORN < ?; -- 0.0
            -- by scan
            """
        ),
        .condition(
            "Person", "age BETWEEN {20, 30}",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE (t0.ZAGE BETWEEN ? AND ?); -- 20, 30
            -- by Z_Person_byAge
            """
        ),
        .condition(
            "Person", "age IN {1, 2, nil}",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE (t0.ZAGE IN (?, ?) OR t0.ZAGE IS NULL); -- 1, 2
            -- by Z_Person_byAge
            -- by Z_Person_byAge
            """
        ),
        .condition(
            "Person", "name IN {'a', 'b', 'c'}",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZNAME IN (?, ?, ?, ?); -- 'a', 'b', 'c', 'c'
            -- by scan
            """
        ),
        .condition(
            "Person", "name BEGINSWITH 'An'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE (t0.ZNAME >= ? AND t0.ZNAME < ?); -- 'An', 'Ao'
            -- by scan
            """
        ),
        .condition(
            "Person", "name CONTAINS 'n'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE instr(t0.ZNAME, ?) > 0; -- 'n'
            -- by scan
            """
        ),
        .condition(
            "Person", "name ENDSWITH 'n'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE substr(CAST(t0.ZNAME AS BLOB), -?) = ?; -- 1, x'6e'
            -- by scan
            """
        ),
        .condition(
            "Person", "NOT name CONTAINS 'n'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE ((instr(t0.ZNAME, ?) > 0) IS NOT TRUE); -- 'n'
            -- by scan
            """
        ),
        .condition(
            "Person", "name BEGINSWITH[cd] 'an'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE strata_text(9, 3, ?, t0.ZNAME); -- 'an'
            -- by scan
            """
        ),
        .condition(
            "Person", "name LIKE 'A*n'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE strata_text(11, 0, ?, t0.ZNAME); -- 'A*n'
            -- by scan
            """
        ),
        .condition(
            "Person", "name ==[c] 'ann'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE strata_text(0, 1, ?, t0.ZNAME); -- 'ann'
            -- by scan
            """
        ),
        .condition(
            "Person", "boss.dept.title == 'Sales'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            LEFT JOIN ZPERSON t1 ON t1.Z_PK = t0.ZBOSS
            LEFT JOIN ZDEPT t2 ON t2.Z_PK = t1.ZDEPT
            WHERE t2.ZTITLE = ?; -- 'Sales'
            -- by scan
            """
        ),
        .condition(
            "Person", "dept == nil",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZDEPT IS NULL;
            -- by ZPERSON_ZDEPT_INDEX
            """
        ),
        .condition(
            "Person", "age > boss.age",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            LEFT JOIN ZPERSON t1 ON t1.Z_PK = t0.ZBOSS
            WHERE t0.ZAGE > t1.ZAGE;
            -- by scan
            """
        ),
        .condition(
            "Person", "name == boss.name",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            LEFT JOIN ZPERSON t1 ON t1.Z_PK = t0.ZBOSS
            WHERE t0.ZNAME IS t1.ZNAME;
            -- by scan
            """
        ),
        .condition(
            "Person", "age + 1 > rate * 2",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE ((t0.ZAGE + ?) > (t0.ZRATE * ?) AND typeof(t0.ZRATE) <> 'text'); -- 1, 2
            -- by scan
            """
        ),
        .condition(
            "Person", "age / 2 == 1",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE (t0.ZAGE / ?) = ?; -- 2, 1
            -- by scan
            """
        ),
        .condition(
            "Person", "TERNARY(age > 1, age, boss.age) == 2",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            LEFT JOIN ZPERSON t1 ON t1.Z_PK = t0.ZBOSS
            WHERE (CASE WHEN t0.ZAGE > ? THEN t0.ZAGE ELSE t1.ZAGE END) = ?; -- 1, 2
            -- by scan
            """
        ),
        .condition(
            "Person", "length(name) > 3",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE strata_call(34, 6, t0.ZNAME) > ?; -- 3
            -- by scan
            """
        ),
        .condition(
            "Person", "entity.name == 'Manager'",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.Z_ENT IN (3);
            -- by ZPERSON_Z_ENT_INDEX
            """
        ),
        .condition(
            "Person", "pay > 5 AND age == 30",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE ((t0.ZPAY > ? AND t0.ZPAY <= 9e999) OR (t0.ZPAY >= x'' AND strata_compare(t0.ZPAY, ?) > 0)) AND t0.ZAGE = ?; -- 5, 5, 30
            -- by Z_Person_byAge
            """
        ),
        .condition(
            "Person", "photo != nil",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZPHOTO IS NOT NULL;
            -- by scan
            """
        ),
        .init(
            "boss == an object",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZBOSS = ?; -- 1
            -- by ZPERSON_ZBOSS_INDEX
            """
        ) { try $0.statements(of: $0.plan("Person", key("boss") == QueryExpression.constant($0.id("Person", 1)))) },
        .init(
            "SELF IN objects",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.Z_PK IN (?, ?); -- 1, 2
            -- by key
            """
        ) {
            try $0.statements(
                of: $0.plan(
                    "Person", .comparison(.init(.evaluatedObject, .isIn, .constant(.list([$0.id("Person", 1), $0.id("Manager", 2)]))))))
        },
    ]
}
