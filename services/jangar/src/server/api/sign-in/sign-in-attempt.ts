import { createHash } from 'node:crypto'
import { newSecret } from '../session/browser-sessions.ts'

/**
 * One attempt of a browser to sign in. All of it follows from a secret in a cookie of that browser, so any control
 * plane can finish what another began, and nothing is stored for strangers.
 */
export interface SignInAttempt {
  readonly secret: string
  /** The provider sends it back: an answer to another browser has another one. */
  readonly state: string
  /** In the ID token: a token of another attempt has another one. */
  readonly nonce: string
  /** Proves to the provider that who redeems the code is who asked for it. */
  readonly verifier: string
}

export function newAttempt(): SignInAttempt {
  return attemptOf(newSecret())
}

export function attemptOf(secret: string): SignInAttempt {
  const derive = (use: string): string =>
    createHash('sha256').update(`agents sign-in ${use}\n${secret}`).digest('base64url')
  return { secret, state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}
