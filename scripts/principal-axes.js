const rounds = 40;

/** The mean of rows, and the unit axes along which they differ most, by power iteration on their covariance. */
export function principalAxes(rows, count, random) {
  const size = rows[0].length;
  const mean = new Float64Array(size);
  for (const row of rows) for (let i = 0; i < size; i += 1) mean[i] += row[i] / rows.length;
  const covariance = covarianceOf(rows, mean);
  const axes = [];
  const deviations = [];
  for (let k = 0; k < count; k += 1) {
    let axis = Float64Array.from({ length: size }, () => random() - 0.5);
    let strength = 0;
    for (let round = 0; round < rounds; round += 1) {
      const next = new Float64Array(size);
      for (let i = 0; i < size; i += 1) next[i] = dot(covariance.subarray(i * size, (i + 1) * size), axis);
      for (const other of axes) {
        const shared = dot(other, next);
        for (let i = 0; i < size; i += 1) next[i] -= shared * other[i];
      }
      strength = Math.sqrt(dot(next, next));
      axis = next.map((value) => value / strength);
    }
    axes.push(axis);
    deviations.push(Math.sqrt(strength));
  }
  return { mean, axes, deviations };
}

function covarianceOf(rows, mean) {
  const size = mean.length;
  const covariance = new Float64Array(size * size);
  for (const row of rows) {
    const own = mean.map((value, i) => row[i] - value);
    for (let i = 0; i < size; i += 1) {
      const [weight, from] = [own[i] / rows.length, i * size];
      for (let j = 0; j < size; j += 1) covariance[from + j] += weight * own[j];
    }
  }
  return covariance;
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}
