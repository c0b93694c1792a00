/// The SHA-256 and SHA-512 digests of FIPS 180-4, for version hashes and the digests of Core Data's metadata.
///
/// They identify versions and protect no secrets, so models need no dependency on a cryptography package.
public enum SHA2 {
    /// Returns the 32 bytes of SHA-256.
    public static func digest256(_ message: [UInt8]) -> [UInt8] {
        let padded = padded(message, block: 64)
        var hash = initial256
        var w = [UInt32](repeating: 0, count: 64)
        for start in stride(from: 0, to: padded.count, by: 64) {
            for t in 0..<16 {
                let index = start &+ t &* 4
                w[t] =
                    UInt32(padded[index]) &<< 24 | UInt32(padded[index &+ 1]) &<< 16 | UInt32(padded[index &+ 2]) &<< 8
                    | UInt32(padded[index &+ 3])
            }
            for t in 16..<64 {
                let (x, y) = (w[t &- 15], w[t &- 2])
                let s0 = (x &>> 7 | x &<< 25) ^ (x &>> 18 | x &<< 14) ^ x &>> 3
                let s1 = (y &>> 17 | y &<< 15) ^ (y &>> 19 | y &<< 13) ^ y &>> 10
                w[t] = s1 &+ w[t &- 7] &+ s0 &+ w[t &- 16]
            }
            var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
            var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
            for t in 0..<64 {
                let s1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
                let t1 = h &+ s1 &+ (e & f ^ ~e & g) &+ constants256[t] &+ w[t]
                let s0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
                let t2 = s0 &+ (a & b ^ a & c ^ b & c)
                (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
            }
            hash = [
                hash[0] &+ a, hash[1] &+ b, hash[2] &+ c, hash[3] &+ d, hash[4] &+ e, hash[5] &+ f, hash[6] &+ g, hash[7] &+ h,
            ]
        }
        return bytes(hash)
    }

    /// Returns the 64 bytes of SHA-512.
    public static func digest512(_ message: [UInt8]) -> [UInt8] {
        let padded = padded(message, block: 128)
        func rotate(_ x: UInt64, _ n: UInt64) -> UInt64 { x &>> n | x &<< (64 &- n) }
        var hash = initial512
        var w = [UInt64](repeating: 0, count: 80)
        for start in stride(from: 0, to: padded.count, by: 128) {
            for t in 0..<16 { w[t] = padded[(start + t * 8)..<(start + t * 8 + 8)].reduce(0) { $0 &<< 8 | UInt64($1) } }
            for t in 16..<80 {
                let s0 = rotate(w[t - 15], 1) ^ rotate(w[t - 15], 8) ^ w[t - 15] &>> 7
                let s1 = rotate(w[t - 2], 19) ^ rotate(w[t - 2], 61) ^ w[t - 2] &>> 6
                w[t] = s1 &+ w[t - 7] &+ s0 &+ w[t - 16]
            }
            var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
            var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
            for t in 0..<80 {
                let s1 = rotate(e, 14) ^ rotate(e, 18) ^ rotate(e, 41)
                let t1 = h &+ s1 &+ (e & f ^ ~e & g) &+ constants512[t] &+ w[t]
                let t2 = (rotate(a, 28) ^ rotate(a, 34) ^ rotate(a, 39)) &+ (a & b ^ a & c ^ b & c)
                (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
            }
            hash = [
                hash[0] &+ a, hash[1] &+ b, hash[2] &+ c, hash[3] &+ d, hash[4] &+ e, hash[5] &+ f, hash[6] &+ g, hash[7] &+ h,
            ]
        }
        return bytes(hash)
    }

    /// Returns a message in whole blocks, of which the last one ends with the message's length in an eighth of a block.
    private static func padded(_ message: [UInt8], block: Int) -> [UInt8] {
        let room = block - (message.count + 1) % block
        let zeros = room - 8 + (room < block / 8 ? block : 0)
        var padded: [UInt8] = []
        padded.reserveCapacity(message.count + zeros + 9)
        padded.append(contentsOf: message)
        padded.append(0x80)
        padded.append(contentsOf: repeatElement(0, count: zeros))
        unsafe withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian) { unsafe padded.append(contentsOf: $0) }
        return padded
    }

    private static func bytes(_ words: [some FixedWidthInteger]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        for word in words { unsafe withUnsafeBytes(of: word.bigEndian) { unsafe bytes.append(contentsOf: $0) } }
        return bytes
    }

    /// The first 64 bits of the fractional parts of the cube roots of the first 80 primes; upper halves for SHA-256.
    private static let constants512: [UInt64] = [
        0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
        0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
        0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
        0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
        0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
        0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
        0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
        0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
        0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
        0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
        0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
        0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
        0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
        0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
        0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
        0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
        0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
        0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
        0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
        0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
    ]
    /// The first 64 bits of the fractional parts of the square roots of the first 8 primes; upper halves for SHA-256.
    private static let initial512: [UInt64] = [
        0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
    ]
    private static let constants256: [UInt32] = constants512.prefix(64).map { UInt32($0 >> 32) }
    private static let initial256: [UInt32] = initial512.map { UInt32($0 >> 32) }
}
