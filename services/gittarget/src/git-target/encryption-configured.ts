import { pass, stall } from '@agents/controller'
import type { GitTarget } from '@agents/gittarget-api'
import { rfc3339 } from '@agents/status'
import { pauseMirror } from './pause-mirror.ts'
import { resolveEncryption } from './resolve-encryption.ts'
import type { GitTargetPorts, TargetFindings, TargetGate } from './target-ports.ts'

export const encryptionConfigured = (
  ports: GitTargetPorts,
  findings: WeakMap<GitTarget, TargetFindings>,
): TargetGate<'EncryptionConfigured'> => ({
  condition: 'EncryptionConfigured',
  async check(target, _detail, { now, signal }) {
    const resolved = await resolveEncryption(target, ports, signal)
    const { secretRef } = target.spec.encryption ?? {}
    if (resolved.kind === 'problem') {
      await pauseMirror(target, ports)
      return stall(resolved.reason, resolved.message, {
        detail: { encryption: { mode: 'Sops', ...(secretRef && { secretRef }) } },
      })
    }
    const found = findings.get(target)
    if (found !== undefined) findings.set(target, { ...found, encryption: resolved })
    if (resolved.kind === 'off') {
      return pass('NotRequired', 'encryption is off: Secrets are not mirrored', {
        detail: { encryption: { mode: 'Disabled' } },
      })
    }
    const { recipientsHash, encryption } = resolved
    const count = encryption.recipients.length
    return pass('OK', `Secrets are encrypted for ${count === 1 ? 'one key' : `${count} keys`}`, {
      detail: {
        encryption: {
          mode: 'Sops',
          ...(secretRef && { secretRef }),
          recipientsHash,
          lastValidatedTime: rfc3339(now),
        },
      },
    })
  },
})
