const units = ['B', 'KiB', 'MiB', 'GiB'] as const

/** `1.5 MiB` */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return '–'
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const amount = bytes / 1024 ** power
  const digits = power === 0 || amount >= 100 ? 0 : 1
  return `${amount.toFixed(digits)} ${units[power] ?? 'B'}`
}
