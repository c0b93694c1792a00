import StrataModel
import Testing

@Suite("SHA-2")
struct SHA2Tests {
    private func hex(_ bytes: [UInt8]) -> String { bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

    @Test(
        "SHA-256 gives the digests that FIPS 180 publishes",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func sha256(message: String, digest: String) { #expect(hex(SHA2.digest256(Array(message.utf8))) == digest) }

    @Test(
        "SHA-512 gives the digests that FIPS 180 publishes",
        arguments: [
            (
                "",
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
            (
                "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                    + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
            ),
        ]
    )
    func sha512(message: String, digest: String) { #expect(hex(SHA2.digest512(Array(message.utf8))) == digest) }

    @Test("A message of many blocks has the digests that other implementations give")
    func long() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 10_000)
        #expect(hex(SHA2.digest256(message)) == "27dd1f61b867b6a0f6e9d8a41c43231de52107e53ae424de8f847b821db4b711")
        #expect(
            hex(SHA2.digest512(message))
                == "0593036f4f479d2eb8078ca26b1d59321a86bdfcb04cb40043694f1eb0301b8a"
                + "cd20b936db3c916ebcc1b609400ffcf3fa8d569d7e39293855668645094baf0e"
        )
    }

    @Test("Messages about the length of a block all differ in their digests, and digests have their length")
    func boundaries() {
        let digests = (50...140).map { SHA2.digest256([UInt8](repeating: 0, count: $0)) }
        #expect(Set(digests).count == digests.count)
        #expect(digests.allSatisfy { $0.count == 32 })
        let longer = (100...260).map { SHA2.digest512([UInt8](repeating: 0, count: $0)) }
        #expect(Set(longer).count == longer.count)
        #expect(longer.allSatisfy { $0.count == 64 })
    }
}
