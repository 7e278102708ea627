import { pass, stall } from '@agents/controller'
import { rfc3339 } from '@agents/status'
import { pauseMirror } from '../pause-mirror.ts'
import { resolveEncryption } from '../resolve-encryption.ts'
import type { GitTargetPorts, TargetGate } from '../target-ports.ts'

export function encryptionConfigured(ports: GitTargetPorts): TargetGate<'EncryptionConfigured'> {
  return {
    condition: 'EncryptionConfigured',
    async check(target, _detail, { now, signal, scope }) {
      const resolved = await resolveEncryption(target, ports, signal)
      const { secretRef } = target.spec.encryption ?? {}
      if (resolved.kind === 'problem') {
        await pauseMirror(target, ports)
        return stall(resolved.reason, resolved.message, {
          detail: { encryption: { mode: 'Sops', ...(secretRef && { secretRef }) } },
        })
      }
      const found = scope.findings
      if (found !== undefined) scope.findings = { ...found, encryption: resolved }
      if (resolved.kind === 'off') {
        return pass('NotRequired', 'encryption is not configured: Secrets are not mirrored', {
          detail: { encryption: { mode: 'Disabled' } },
        })
      }
      const { recipientsHash, encryption } = resolved
      const count = encryption.recipients.length
      return pass(
        'OK',
        `Secrets are encrypted for ${count === 1 ? '1 recipient' : `${count} recipients`}`,
        {
          detail: {
            encryption: {
              mode: 'Sops',
              ...(secretRef && { secretRef }),
              recipientsHash,
              lastValidatedTime: rfc3339(now),
            },
          },
        },
      )
    },
  }
}
