/** The Signal of a step, by name or as an object with a name. */
export function nameOfSignal({ signalRef }: { readonly signalRef?: unknown }): string | undefined {
  if (typeof signalRef === 'string') return signalRef || undefined
  if (typeof signalRef !== 'object' || signalRef === null || !('name' in signalRef)) {
    return undefined
  }
  const { name } = signalRef
  return typeof name === 'string' && name !== '' ? name : undefined
}
