/**
 * The proof of the session: requests need it beside the cookie. The browser keeps it for this origin alone, and other
 * tabs of the console share it.
 */
const key = 'agents-console-proof'

let inMemory: string | undefined

export function currentProof(): string | undefined {
  try {
    return localStorage.getItem(key) ?? inMemory
  } catch {
    return inMemory
  }
}

export function keepProof(proof: string | undefined): void {
  inMemory = proof
  try {
    if (proof === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, proof)
  } catch {
    // Storage is forbidden: the session is that of this tab.
  }
}

/** Calls back when another tab signs in or out. */
export function onProofOfOtherTab(listener: () => void): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.key === key || event.key === null) listener()
  }
  addEventListener('storage', onStorage)
  return () => removeEventListener('storage', onStorage)
}

/** The code in the address, `/#code=…`. It is removed: addresses are kept, copied and shown. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return code
}
