import type { Finding } from './chart-snapshot.ts'
import type { AcceptedChange } from './compare-charts.ts'

/**
 * Returns the problems in ci/accepted-changes.yaml: each entry needs a reason, a version and a line of the changelog,
 * and has to match a finding.
 */
export function checkDecisions(
  accepted: readonly AcceptedChange[],
  findings: readonly Finding[],
  changelog: string,
): readonly string[] {
  return accepted.flatMap((decision) => {
    const { rule, subject, reason, since, changelog: line } = decision
    const isUsed = findings.some((finding) => finding.rule === rule && finding.subject === subject)
    const problems = [
      isUsed ? '' : 'matches no finding: remove it',
      reason ? '' : 'has no reason',
      since ? '' : 'has no since',
      line && changelog.includes(line) ? '' : 'has no changelog that is a line of CHANGELOG.md',
    ]
    return problems
      .filter((problem) => problem !== '')
      .map((problem) => `accepted-changes.yaml: ${rule} ${subject} ${problem}`)
  })
}
