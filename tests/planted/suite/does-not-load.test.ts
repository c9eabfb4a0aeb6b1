throw new Error("this file breaks before its tests are known");
