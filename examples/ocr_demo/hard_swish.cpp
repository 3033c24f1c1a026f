        // hard swish: y = x * min(max(x + 3, 0), 6) / 6
        AscendC::Adds(yLocal, xLocal, 3.0f, count);
        AscendC::Maxs(yLocal, yLocal, 0.0f, count);
        AscendC::Mins(yLocal, yLocal, 6.0f, count);
        AscendC::Mul(yLocal, yLocal, xLocal, count);
        AscendC::Muls(yLocal, yLocal, 1.0f / 6.0f, count);
