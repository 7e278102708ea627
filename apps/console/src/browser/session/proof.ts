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

/** Calls back when another tab signs in or out, and when the back button shows the page as it was left. */
export function onProofOfOtherTab(listener: () => void): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.key === key || event.key === null) listener()
  }
  // What other tabs did meanwhile is not told to a page that the browser had put aside.
  const onShow = (event: PageTransitionEvent): void => {
    if (event.persisted) listener()
  }
  addEventListener('storage', onStorage)
  addEventListener('pageshow', onShow)
  return () => {
    removeEventListener('storage', onStorage)
    removeEventListener('pageshow', onShow)
  }
}

/** What an address brings for signing in. */
export type Ticket =
  /** The code of `/#code=…`. */
  | { readonly code: string }
  /** The query with which an OpenID provider opened `/signed-in`. */
  | { readonly answer: string }

/** Takes it out of the address: addresses are kept, copied and shown. */
export function takeTicket(): Ticket | undefined {
  if (location.pathname === '/signed-in') {
    const answer = location.search
    history.replaceState(history.state, '', takeReturnPath())
    return answer === '' ? undefined : { answer }
  }
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return { code }
}

const returnKey = 'agents-console-return'

/** Where the person was, so that the page comes back there from the provider. */
export function keepReturnPath(): void {
  try {
    sessionStorage.setItem(returnKey, location.pathname + location.search)
  } catch {
    // Storage is forbidden: the first page is shown then.
  }
}

function takeReturnPath(): string {
  try {
    const path = sessionStorage.getItem(returnKey) ?? '/'
    sessionStorage.removeItem(returnKey)
    // Two slashes would begin another host.
    return /^\/(?!\/)/.test(path) ? path : '/'
  } catch {
    return '/'
  }
}
