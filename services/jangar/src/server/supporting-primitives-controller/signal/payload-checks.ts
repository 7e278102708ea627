import type { Signal } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { compilePayloadCheck } from './payload-check.ts'

type PayloadCheckResult = ReturnType<typeof compilePayloadCheck>

/** The payload checks of all Signals, each compiled once. */
export interface PayloadChecks {
  of(signal: Signal): PayloadCheckResult
  forget(key: string): void
}

export function payloadChecks(): PayloadChecks {
  const known = new Map<string, { readonly version: string; readonly result: PayloadCheckResult }>()
  return {
    of: ({ metadata, spec }) => {
      const key = formatKey(metadata)
      const version = `${metadata.uid}/${metadata.generation}`
      const found = known.get(key)
      if (found?.version === version) return found.result
      const result = compilePayloadCheck(spec?.schema)
      known.set(key, { version, result })
      return result
    },
    forget: (key) => known.delete(key),
  }
}
