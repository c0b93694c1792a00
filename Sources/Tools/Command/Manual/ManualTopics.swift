import StrataStoreTool

/// What the manual page explains besides the commands.
enum ManualTopics {
    /// The titles and texts; lines that begin with spaces are printed as they are.
    static let all: [(title: String, text: String)] = [
        ("QUERIES", queries), ("VALUES", values), ("FILES", files), ("ENVIRONMENT", environment), ("EXAMPLES", examples),
        ("SEE ALSO", "sqlite3(1), psql(1), pg_dump(1)"),
    ]

    private static let queries = """
        A query is an entity, and clauses in this order, each at most once:

          Entity [select COLUMN [as NAME], ...] [where CONDITION] [group COLUMN, ...]
              [having CONDITION] [sort NAME [asc|desc], ...] [limit N] [offset N]

        A property with the name of a clause takes a #: where #limit > 3. An entity or property with another odd name stands in quotes behind \
        one: #"odd name". Conditions are those of Core Data's predicate format language:

          name == "Ada"                age != nil               total BETWEEN {10, 20}
          name BEGINSWITH[cd] "a"      name CONTAINS "x"        name LIKE "A*"
          name MATCHES "[A-Z].*"       age IN {1, 2, 3}         NOT (age < 18 OR b == YES)
          customer.name == "Ada"       ANY orders.total > 100   orders.@count > 3
          paid >= "2026-11-30"         customer == "Customer/p7"
          month:in:(paid, "Europe/Rome") == 11      SUBQUERY(orders, $o, $o.total > 100).@count > 0

        Text in single or double quotes; [c] compares without case, [d] without accents. A path follows relationships by dots. A text that is \
        compared with a date, a UUID, bytes or an object is read as VALUES says, "2026-11-30" as the beginning of the day in UTC. A date is also \
        CAST(600000000, "NSDate"), the seconds since 2001. Columns are expressions: total * 2, lowercase(name), count:(number), sum:(total), \
        average:(total), min:(total), max:(total), and parts of dates in a time zone, year:in:(paid, "UTC"), and so quarter, month, weekOfYear, \
        day, dayOfYear, weekday (1 is Sunday), hour, minute and second. An aggregate without group is over all objects; with group there is \
        a line for each group.
        """

    private static let values = """
        In JSON and CSV, dates are ISO 8601 in UTC with as many digits of a second as they have, or seconds since 2001 where that is not exact; \
        bytes are base64; objects are URIs, x-coredata://STORE/Entity/p1. In CSV an empty cell is no value, and "" an empty text; the first \
        line names the columns. Imported dates may have any zone, and are exact to the minute or better. A number that the attribute cannot \
        hold, a day that does not exist and text behind a number are refused.
        """

    private static let files = """
        ~/.strata_history has the lines typed in strata shell. PATH.partial is an unfinished export or file of refused rows; it is removed \
        where the command fails. Hidden files beside a copy or a new store, .NAME.*.tmp and .NAME.unfinished, are what a killed command \
        left; the next command to the same target removes them. SIGINT and SIGTERM end a command that writes with a text, and without \
        such files.
        """

    private static let environment = """
        PAGER is the program that shows long output in the shell, less -FRX where it is not set. PGHOST, PGUSER, PGPASSWORD, PGPASSFILE, \
        PGSERVICE and the other variables of libpq complete the URL of a server. TMPDIR is where strata bench makes its stores.
        """

    private static let examples = """
          strata info shop.sqlite
          strata query shop.sqlite 'Order where total > 100 sort total desc limit 10'
          strata query shop.sqlite 'Order select customer.name, sum:(total) group customer.name' --csv
          strata export shop.sqlite 'Order select total, customer.number' --output orders.csv
          strata import other.lmdb Order orders.csv --upsert --rejected refused.jsonl
          strata convert shop.sqlite --to lmdb shop.lmdb
          strata backup postgresql://host/db --schema shop \\
              postgresql://host/db --target-schema shop_copy
          strata diff --data shop.sqlite shop.lmdb
        """
}
