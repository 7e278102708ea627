import { refused } from './problem.ts'
import type { ContractStatus, Implementation, Refused } from './resolution.ts'

/** The keys that the contract requires, and those that are missing. Undefined if it requires none. */
export function contractStatus(
  { contract }: Implementation,
  metadata: Readonly<Record<string, string>>,
): ContractStatus | undefined {
  if (contract?.requiredKeys === undefined) return undefined
  const requiredKeys = contract.requiredKeys.map((key) => key.trim())
  const missingKeys = requiredKeys.filter((key) => !Object.hasOwn(metadata, key))
  return { requiredKeys, missingKeys }
}

export function contractProblem(
  { contract }: Implementation,
  status: ContractStatus | undefined,
): Refused | undefined {
  const blank = contract?.requiredKeys?.findIndex(isBlank) ?? -1
  if (blank !== -1) return refused('InvalidContract', `contract.requiredKeys[${blank}] is blank`)
  const mapping =
    contract?.mappings?.findIndex(({ from, to }) => isBlank(from) || isBlank(to)) ?? -1
  if (mapping !== -1) {
    return refused('InvalidContract', `contract.mappings[${mapping}] lacks from or to`)
  }
  const missing = status?.missingKeys ?? []
  if (status === undefined || missing.length === 0) return undefined
  const message = `the contract of the implementation requires ${missing.join(', ')}; create the run again with these parameters, or map other keys to them in contract.mappings`
  return { ...refused('MissingRequiredMetadata', message), contract: status }
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}
