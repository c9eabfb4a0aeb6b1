export function tangled(rows: readonly (readonly number[])[]): number {
  let sum = 0;
  for (const row of rows) {
    for (const cell of row) {
      if (cell > 0) {
        if (cell > 10 || sum > 10) {
          for (let step = 0; step < cell; step += 1) {
            if (step % 2 === 0) sum += step;
          }
        } else if (cell > 5) {
          sum -= 1;
        }
      }
    }
  }
  return sum;
}
