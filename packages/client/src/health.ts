import type { Health } from './records.ts'

/** Reads lines such as `[+]caches ok` and `[-]database failed`. */
export function readHealth(text: string, ok: boolean): Health {
  const checks = [...text.matchAll(/^\[([+-])\](\S+)/gm)].map(([, sign, name = '']) => ({
    ...{ name, ok: sign === '+' },
  }))
  return { ok, checks }
}
