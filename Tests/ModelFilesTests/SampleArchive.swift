import FoundationEssentials

/// A model as Core Data compiles it, in a small archive.
enum SampleArchive {
    /// The archive as stores keep it, compressed.
    static let cache = Array(Data(base64Encoded: text) ?? Data())

    private static let text = """
        dVcJfBNlFn9vMvdMaFru+ypnodwih0hpOQolhaYtUAo1TaZtIE1CMoEWOR63iArKuuouqzZ4Ii4q3oCirivquqvAIiIieKHLerHI6rLIfpPpxbH5fknm+L//\
        947/9+ab8kgwEDMHDz4MCBw4gAcBRFyONCfdG/VVBRYb0dnp4fIFhs+MFaab4cjsdHYpFgiHylwpbs80o9bwZ9UDd7m2gAQytICW0AbaQwfoAt2hN/SHgTAE\
        hsP1MAYmwWSYAtPADQVQBHPACz7wQyVUwQIIQgTiUMNGLayHDXALbILb4Q64E+6C38A9sI2NP8BDbDwMO9h4Ap5i42l4Hl5i42XYz8Zr8CYcgLfhHfb7LhyF\
        j+E4O/sUvmSs38A/4Xv4Af4F5+AC/AqX4CHkUEQFXdgS2zDENsa9g3G+xJgOwMfYFtuwMQDHsnEDjr8GYixm4Xg28uEdxnAAi6y5cQ77fRvno49Zj2dHFRjC\
        MEZxcVF6KB4MHgQFVNBAn53uC3pjMSNWYh+EvNVGAnRwlrlcbo/HCFZMrIlEjZiV79luT36yDgchBVyQCmnFtlES24QrrI0YxCKyJ2kFrRPQ2iJsmazWDK9Z\
        1YS1MW2hXQLaWZhOjRhPxPAFKgJGtAlcHDRClWaVNX1H6ASd5zSCiSfBpuoK3RLQDZyz3J6saNRba4F7QE9IL3F7MutlRFId9CLRutUH+kK/uRa2Ml5thNg9\
        B8k2UwYMSMAAcBa7PUVFuTkWOhMGweBSRhSPB/zltaYRIzXf5QLkHLwgSrKiarqzRYptPxSGJWBY0j7HaxqW/Qi4DkYyzzLNQLVBes/xP7UD62MbjILRCRht\
        ZYHpOodFX+0NuuPV5Ub0Q2Y7Fm6AcXAjjIcsmADZkANpMJF9s63AfOHqiNdnskAyjZpIOMQiYcnJtPNlXa32hsxALOad3+w4szxs3QoZlV6TrR5qobS8ZH9+\
        ZUGNGgyXfTzecl9xKOmO7W4uTE3AVMvd1m5PtuVANBALh2ZEDX/AlwzYQuXB9ARMt1DtLVQoZrLZi73BuNFcBCmQDzNgZjLyy0DU0sXZRB4oTEChRdT5mtPl\
        R4yo1wxHLbJimAWzWagN15KKbO1yHGb3SmAulMI8mA9lcFNSuXlGhdnkTFKnV7GWuVLdnoJAZVUzJKWRQm2oVYP75S6hYfK0y2cyoILaU7viud6BS+dlNOAD\
        1LEBv9AlNreohhCEiaPO1KlBv4u2QxRiYFJb6kBd7JQshiUJWGKlpA1TsGlGA+Vx08gxYr5oIGJaK9EX9huWeJbCzbAMlsMKWAkEq2A1E9AaWAvrkhlvNLXy\
        NN/SXoU3HrQLwNSeG8tPsnmD863MhFlKzFo3axRlrlYsKQbrGYFQZa6fiS65YJPuMOOA32uZNeYyRt1Sub3kou6USl0bspDWWLDLM7ARbqVelN4Au82lXDO5\
        1bAZtlBf6nMV31aX73Lg3fBbyqD+DRm9dzvcB7+D31Nv6kcDir3V4XjIvDpZ98MD8CDUQQK2u/wuSaZMGkQDPX5v7ZHLsASPwKMsrY/B46mOteSkITS00OoT\
        V8J2wpMM9kfYlcrnkUbDaURRJBrwGVfinoHdDPcsPJeKWyiFRtL1dtVfgBcT8GL9Qsgxomzp+q9V/CIzbHqDl7Pugb2wj7G+Aq/S6FQcQEBjaKwn7L/Ky9eT\
        uDfgT6nycBpHN9pz/xneSsBb9au5wAgmCxyrCkSazVscjvrZA7oo3/qb5Y2aAV/QOMbo/8LI34O/wt+SU7wPH7C+N5NNkg2HWB87DH+HI/BhqRVT0DCNgnjQ\
        mJsUn8Vj+Fmbm+6tybaKZB0GQsnDMle7MssiZgZCSWcmMhE2qLMDu5UbsnYLRnNfrZuU5QKaQBMpm3Ls0D6CYwk4Vv8MmmSYvirD3yD2ZtHNilpMht82+gRO\
        JOAEOOfXmxQYi+LMl0Ms2pNwCj6Dz+ELFlGTU6X1wLxAdcCkXJrq4i3wCZaSr+A0fE2TaRpNaZDoP+rgDE1vOPu2Dr4j98zF9tQ/wtkEnAWnlbCAL7k+o7Uz\
        F1psPzH4efg3/GI9ahYatTGaWQc/U0Ed/Idm2Nb/hYsJuGhF27beo9yQ36hpLp/y2hzr8cnQCIgJRAvdpTl6YtCwnpnNjNjs6IDlyMMhFK7grkcne3ExzaqP\
        CqU6lMla+6iihjo6sQWmwL5kY2puF5tbf27XllHPsLTlDSYvNjYZKqQ5VNRAnlqHaVRiB9EKWyewYSNiV6R5XbNsoTbmD9thj8exPXbAjtgJO2MX7IrdsDvN\
        pzK6ibxUTj7yk0EVj2NPTMde2Bv7YF/sh/0xg3rSYBpG19EouoHG0yTKY/rHgXASM3EQDoYVOASH4jAcjiPwOhwJ2Xg9joJ9OBrHJHtqtrWrsuKcFI7anjKd\
        /586xZIdOqs8ZkbZDqC0sUMHjNg8toOLs2MjScE0WhQKMH0WxiNBtuFjpzEjmhuqCFMpBWgezaVKqqJ88hQxePCqfrTK6gg4Dm+khRQsnBAON2kNJ+D0HZiN\
        OTgRJ+FknIK5OBWnYR6FKUKLKEoxMilOi2kJ1ey4Ol/opuoj9RmyszMcZ+BMLEAPFtLNFKJaWkoLjtY3EbuF2A2EbYDY9xAW4yycTctpBa1scqsES+twLq2u\
        w3lEV05QhjehF8thH62jVbSG1toy8aORQMOSSSur44S8lYbf3vZOZw/TYBN5JS7cjlUYwAV0C22kW7djIQaxmpbR+oLFI22yCC5K4CJwFll76eS+uQfG0KTb\
        6zBOt1miX4I1WItL8WZW/mUl9cJktWtaPPU9pdCojlidJ5Z0rNh+BWp66MZoA22iOz7AFbiyMBoOm7Q5DXD9g+xtqD3rHQPY+89oyGPvAHGG2IB34T24A3fj\
        XnwDj+BRPIaf49f4KydxOpfBDeXGcBO5yVwuV8DN4sq4Ki7Gxbkabim3htvM3clt5bZxddxj3NPcK9x+7hB3nDvFfc39yP3CXXDwDqcjzZHuyHLkOWY7yh0h\
        x3LHRscmx22Oux2POXY6djv2Ol5zfOT4zHGad/A634XvxvfgM/jB/Ax+Dl/FL+CD/HJ+C/8I/zK/l3+F38+/zr/Lv8cf4U/z3/Bn+LP8Bf6iIAqy0F7oKHQW\
        ugp9hUHCEGGYMEIYJ2QLpYJXWCFsER4Qdgp7hIPCGeFb4QfhrHBOOC/8LKKoih3FzmJXsa/YXxwm5oiTxCniTLFELBWrxbC4SFwqrhLXiOvEDeId4hPik+Iu\
        8SnxGfFZ8XnxZfGQeEQ8Kh4Tj4unxP+IF8VLEkoOSZF6SL2kPlI/KUMaLo2S5khlUo20VFourZRWSWukDdKD0nbpYelR6SnpOekD6ah0QvpKTpE7yX3lYfI4\
        eY68WK6Rl8rL5BUyyavlTfIWeZf8grxfflM+LJ+Sv5MvyBflSwoqLRSXkqa0Ujor3ZQeSoaSqQxWhipjlPHKdCVfKVX8SoUSUBYqISWi1CorlHuV+5VHlZ3K\
        e8ox5ZxyXvlZRZVXRbWt2k8doearM1WPWqTOV72qTw2qi9QN6mZ1m7pLfVrdrT6nvqC+pO5R96mvqq+ph9Uj6lH1mHpcPaGeVD9Tv1C/0lK03lqW5tbmagGt\
        RlujrdM2aBu1Tdrt2mbtTm2rdp/2jPas9ry2RzugfaJ9qp3SPte+1E5r32hntG+177UfdVGX9e56T72X3kfvp2foebpbn6EX6GV6ue7XK/WAvlpfq6/Xb9Fv\
        1bfq9+q79L36G/qb+lv62/r7+kH9sP6hflL/Uj+jn9PP67/oF5y6s61ziHOKc6ozz+l2epyznSX26wvH2f+46vLXGmfZ/wA=
        """
}
