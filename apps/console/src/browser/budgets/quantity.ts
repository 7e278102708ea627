const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
  Pi: 1024 ** 5,
}

/** A quantity of Kubernetes as a number, good enough to draw it. Undefined if it is none. */
export function quantity(text: string | undefined): number | undefined {
  const [, digits, unit = ''] = /^([0-9.]+(?:e[+-]?\d+)?)([a-zA-Z]*)$/.exec(text ?? '') ?? []
  const factor = Object.hasOwn(factors, unit) ? factors[unit] : undefined
  const amount = Number(digits)
  return factor === undefined || Number.isNaN(amount) ? undefined : amount * factor
}
