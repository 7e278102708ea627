/** Why a policy refuses a run of any kind. */
export interface PolicyProblem<Reason extends string> {
  readonly reason: Reason
  readonly message: string
}
