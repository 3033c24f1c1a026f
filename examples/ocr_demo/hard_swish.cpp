    // hard swish: y = x * min(max(x + 3, 0), 6) / 6
    AscendC::Adds(y, x, 3.0f, count);
    AscendC::Maxs(y, y, 0.0f, count);
    AscendC::Mins(y, y, 6.0f, count);
    AscendC::Mul(y, y, x, count);
    AscendC::Muls(y, y, 1.0f / 6.0f, count);
