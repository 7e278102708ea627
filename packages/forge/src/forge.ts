/** A service that hosts Git repositories, by its HTTP API. All methods throw ForgeErrors. */
export interface Forge {
  readonly service: ForgeService
  repository(repository: string, signal: AbortSignal): Promise<RepositoryFacts>

  /** Pull requests from a branch of the repository itself, never of a fork; open ones first, then the newest. */
  pullRequestsFrom(query: HeadQuery, signal: AbortSignal): Promise<readonly PullRequest[]>
  /** Throws `conflict` if there is an open one for the same branches. */
  openPullRequest(wanted: NewPullRequest, signal: AbortSignal): Promise<PullRequest>
  editPullRequest(
    repository: string,
    number: number,
    change: { readonly title?: string; readonly body?: string },
    signal: AbortSignal,
  ): Promise<PullRequest>
  pullRequest(repository: string, number: number, signal: AbortSignal): Promise<PullRequest>
  /** What tests and reviewers say about it. */
  verdicts(repository: string, of: PullRequest, signal: AbortSignal): Promise<Verdicts>
  addLabels(
    repository: string,
    number: number,
    labels: readonly string[],
    signal: AbortSignal,
  ): Promise<void>
  /** Users; `organisation/team` is a team, where the service has them. */
  requestReviews(
    repository: string,
    number: number,
    reviewers: readonly string[],
    signal: AbortSignal,
  ): Promise<void>

  /** Whether the service merges it by itself later, and if not, whether it can be asked to. Changes nothing. */
  autoMerge(repository: string, of: PullRequest, signal: AbortSignal): Promise<AutoMerge>
  /**
   * Asks the service to merge it once its checks and reviews allow that. Only for one whose `autoMerge` is `possible`:
   * where nothing is required, some services would merge at once.
   */
  enableAutoMerge(repository: string, of: PullRequest, signal: AbortSignal): Promise<void>

  comments(subject: Subject, signal: AbortSignal): Promise<readonly Comment[]>
  addComment(subject: Subject, body: string, signal: AbortSignal): Promise<Comment>
  editComment(subject: Subject, id: number, body: string, signal: AbortSignal): Promise<Comment>

  setCommitStatus(status: CommitStatus, signal: AbortSignal): Promise<void>

  issue(repository: string, number: number, signal: AbortSignal): Promise<Issue>
  /** Without pull requests, oldest change first. */
  issues(query: IssueQuery, signal: AbortSignal): Promise<readonly Issue[]>

  /** What a user may do in the repository; `none` also for unknown users, and if the name is now that of another. */
  permission(repository: string, user: User, signal: AbortSignal): Promise<Permission>
  /**
   * Whether the user is a member of `organization/team`, or of a group of GitLab. False also for unknown teams and
   * users, and if the name is now that of another; GitHub answers by the name alone.
   */
  isTeamMember(team: string, user: User, signal: AbortSignal): Promise<boolean>
  /** Whose token it is. Undefined if it is that of an app of GitHub, which is a bot and no user. */
  self(signal: AbortSignal): Promise<User | undefined>
}

export const forgeServices = ['github', 'gitlab', 'gitea', 'bitbucket'] as const
export type ForgeService = (typeof forgeServices)[number]

export interface RepositoryFacts {
  readonly defaultBranch: string
}

export interface HeadQuery {
  /** `owner/name`. */
  readonly repository: string
  readonly head: string
}

export interface NewPullRequest extends HeadQuery {
  readonly base: string
  readonly title: string
  readonly body: string
  readonly draft: boolean
}

export interface PullRequest {
  readonly number: number
  /** Of the web page. */
  readonly url: string
  readonly state: 'open' | 'merged' | 'closed'
  readonly draft: boolean
  readonly title: string
  readonly body: string
  readonly head: string
  readonly base: string
  /** The last commit of the head. */
  readonly commit: string
}

export interface Verdicts {
  /** Undefined: there are no checks. */
  readonly checks: CheckState | undefined
  /** Undefined: nobody has decided. */
  readonly review: ReviewDecision | undefined
}

export type CheckState = 'pending' | 'passing' | 'failing'
export type ReviewDecision = 'approved' | 'changes-requested'

export type AutoMerge =
  | { readonly state: 'enabled' }
  /** Something is required that is not there yet, and the service will wait for it. */
  | { readonly state: 'possible'; readonly disabledAt?: Date | undefined }
  /** `waiting` passes by itself, `not-allowed` needs somebody who changes the repository. */
  | {
      readonly state: 'waiting' | 'not-allowed' | 'unsupported'
      readonly why: string
      /** When it was turned off last; undefined if it was not, or if the service does not tell. */
      readonly disabledAt?: Date | undefined
    }

/** What is commented on. */
export interface Subject {
  readonly repository: string
  readonly kind: 'issue' | 'pull-request'
  readonly number: number
}

export interface Comment {
  readonly id: number
  readonly author: string
  readonly body: string
}

export interface CommitStatus {
  readonly repository: string
  readonly commit: string
  /** Another status with the same name replaces it. */
  readonly name: string
  readonly state: 'pending' | 'success' | 'failure'
  readonly description: string
  readonly url?: string
}

export interface IssueQuery {
  readonly repository: string
  readonly state: 'open' | 'all'
  /** An issue must have each of these labels. */
  readonly labels?: readonly string[]
  /** Changed at or after this time. */
  readonly since?: Date
}

export interface Issue {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'closed'
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
  readonly author: string
  readonly updatedAt: string
}

export interface User {
  /** The one that the user signs in with, and not the one that is shown: that can be chosen freely. */
  readonly name: string
  /** Names can be given up and taken by others, identifiers not. Undefined if it is unknown. */
  readonly id?: number | undefined
}

export type Permission = 'none' | 'read' | 'write' | 'admin'
