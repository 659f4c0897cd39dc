// The messages between the page and the server, for the type checker. Generated from the types of the server:
// UPDATE_CONTRACT=1 cargo test -p hype-backends --features web page_contract

/** Agreement of raters on the same items. */
export type Agreement = { coefficient: string; interval?: Interval | null; items: number; items_left_out?: number; model?: string | null; raters: number; ratings: number; undefined?: string | null; value?: number | null };

/** An amount of money in the currency's unit, with at most six decimals */
export type Amount = number;

/** `POST api/answer`. */
export type AnswerReport = { answer: unknown; display?: Display | null; rt_us: number; scale?: ImageScale | null; showing: number; tab: Tab; trial: number };

/** `POST api/begin`. */
export type BeginRequest = { comprehension?: number | null; environment: Environment; tab: Tab };

/** The results of one rule for the raters who completed the study. */
export type CheckFindings = { consequence: Consequence; failed: number; flagged: Flagged[]; name: string; passed: number; unclear: number };

/** The state of a check. */
export type CheckState = 'pass' | 'fail' | 'unclear';

/** One option of a choice. */
export type ChoiceOption = { key: string | null; label: string; value: string };

/** Why there is no session. */
export type ClosedReason = 'full' | 'over' | 'took-part' | 'link-used' | 'link-invalid' | 'participant-invalid' | 'expired';

/** What was collected. */
export type Collection = { completed: number; disqualified: number; erased?: number; excluded: number; left: number; places: number; responses: number; running: number; sessions: number };

/** A column of a table. */
export type Column = { label: string; name: string; unit: string };

/** A comparison of two models. */
export type Comparison = { a: string; b: string; df?: number | null; difference: number; interval?: Interval | null; method: string; p?: number | null; statistic?: number | null; statistic_name: string; undefined?: string | null };

/** The question on the instructions. */
export type ComprehensionQuestion = { options: Worded[]; question: Worded; wrong: number };

/** The role of a condition for the model. */
export type ConditionKind = 'prompt' | 'instruction' | 'source' | 'mask' | 'subject' | 'control';

/** `POST api/consent`. */
export type ConsentRequest = { adult?: boolean | null; arrival?: Record<string, string>; language?: string; tab: Tab; text: string };

/** What a rater reads before agreeing to take part. */
export type ConsentScreen = { languages: string[]; minimum_age: number | null; minutes: number | null; needs: Needs | null; paragraphs: string[]; pay: PayOffer | null; text: string };

/** The consequence of failing a check. */
export type Consequence = 'flag' | 'exclude';

/** The correlation of the models' estimates of a measure with another number for each model. */
export type Correlation = { coefficient: string; interval?: Interval | null; measure: string; models: number; p?: number | null; undefined?: string | null; value?: number | null; with: string };

/** What a study costs. */
export type Cost = { currency: string; so_far: Amount; to_come: Amount };

/** SHA-256 */
export type Digest = string;

/** Which direction of a measure is better. */
export type Direction = 'higher' | 'lower' | 'neither';

/** What a page measured while it displayed a trial. */
export type Display = { frame_us: number; grain_us: number; parts: PartDisplayed[]; skipped: number; suspect: boolean; worst_late_us: number };

/** What disturbs a trial with a limited exposure. */
export type Disturbance = 'hidden' | 'blur' | 'fullscreen' | 'resize' | 'zoom' | 'freeze' | 'screen' | 'late';

/** `POST api/disturbed`. */
export type DisturbedReport = { display?: Display | null; reason: Disturbance; showing: number; tab: Tab; trial: number };

/** The pay earned, in decimal numbers. */
export type EarnedPay = { base: string; bonus: string; currency: string };

/** What raters earned. */
export type Earnings = { currency: string; raters: RaterEarnings[]; total: Amount };

/** An effect size. */
export type Effect = { name: string; value: number };

/** The last screen of a session. */
export type EndScreen = { code: string | null; earned: EarnedPay | null; ending: Ending; next_rater: boolean; redirect: string | null };

/** How a session ended. */
export type Ending = 'completed' | 'disqualified' | 'left';

/** The trials that decide whether a rater takes part. */
export type EntryTest = { each_class: boolean; needed: number; trials: number };

/** The environment of the rater's page, as measured by the page. */
export type Environment = { frame_spread: number; frame_us: number; grain_us: number; height: number; pixel_ratio: number; reduced_motion: boolean; refresh_hz: number; touch: boolean; width: number };

/** An estimate for one model. */
export type Estimate = { bootstrap_sd?: number | null; interval?: Interval | null; model: string; raters: number; responses: number; sd?: number | null; sem?: number | null; value: number; with_excluded?: WithExcluded | null };

/** An example image with its right answer. */
export type Example = { answer: Worded; height: number; image: string; note: Worded | null; width: number };

/** A rater excluded from the findings. */
export type Exclusion = { rater: string; reason: string; rule: string };

/** A fact of the protocol. */
export type Fact = { label: string; name: string; value: unknown };

/** The results of a study or of a table of scores. */
export type Findings = { checks?: CheckFindings[]; collected?: Collection | null; correlations?: Correlation[]; earnings?: Earnings | null; exclusions: Exclusion[]; format: number; measures: MeasureFindings[]; notes: Note[]; software: string; study?: StudyCard | null; timing?: TimingQuality | null };

/** A rater who fails a check, or for whom it is unclear. */
export type Flagged = { rater: string; state: CheckState; why: string };

/** The form of an answer. */
export type Form = { choice: { options: ChoiceOption[] } } | { number: { maximum: number; minimum: number; whole: boolean } } | { ranking: { candidates: ChoiceOption[]; ties: boolean } };

/** An image of a gallery. */
export type GalleryImage = { height: number; image: string; label: string; width: number };

/** The scale of all images on a rater's screen. */
export type ImageScale = { factor: number; pixel_ratio: number };

/** What a rater reads before the first trial. */
export type InstructionsScreen = { comprehension: ComprehensionQuestion | null; examples: Example[]; flashes: boolean; minutes: number | null; needs: Needs | null; paragraphs: Worded[][]; pay: PayOffer | null; questions: ScreenQuestion[]; test: EntryTest | null; timed: boolean };

/** An interval. */
export type Interval = { high: number; level: number; low: number; method: string };

/** `POST api/leave`. */
export type LeaveRequest = { tab: Tab };

/** What a value measures. */
export type Measure = { direction: Direction; label: string; name: string; unit: string };

/** Findings for one measure. */
export type MeasureFindings = { agreement?: Agreement[]; comparisons: Comparison[]; estimates: Estimate[]; items: number; measure: Measure; raters: number; responses: number; tables?: Table[]; tests: Test[] };

/** A point in time or a duration in microseconds, on the clock of the session's driver. */
export type Micros = number;

/** What a timed task requires of the rater's device. */
export type Needs = { height: number; keyboard: boolean; refresh_hz: number; width: number };

/** `POST api/next`. */
export type NextRequest = { tab: Tab };

/** A note for readers of the findings. */
export type Note = { code: string; text: string; weight: Weight };

/** A problem that is open. */
export type OpenProblem = { lasts_us: Micros; problem: ServerProblem; reason: string };

/** `POST api/open`. */
export type OpenRequest = { arrival?: Record<string, string>; language?: string; tab: Tab };

/** How one part of a trial was displayed. */
export type PartDisplayed = { frames: number; image: number; onset_us: number; part: number; planned_frames: number; requested_ms: number; shown_us: number };

/** The payment offered, in decimal numbers. */
export type PayOffer = { base: string; currency: string; per_correct: string };

/** The phase of a session. */
export type Phase = 'qualification' | 'practice' | 'main' | 'catch';

/** What one rater has earned. */
export type RaterEarnings = { base: Amount; bonus: Amount; rater: string };

/** The response to a report that was stored. */
export type Receipt = { correct: boolean | null; next: Screen; saved: boolean };

/** A request was refused. */
export type RefusalBody = { error: RefusalReason };

/** Why a request was refused. */
export type RefusalReason = { code: string; message: string };

/** A screen of the page. */
export type Screen = (ConsentScreen & { screen: 'consent' } | InstructionsScreen & { screen: 'instructions' } | TrialScreen & { screen: 'trial' } | EndScreen & { screen: 'end' } | { reason: ClosedReason; screen: 'closed' }) & { language: string; study: StudyInfo };

/** A part of a trial. */
export type ScreenPart = { each_ms: number; from: number; part: 'countdown' } | { exposure_ms: number | null; height: number; image: string; part: 'image'; width: number } | { each_ms: number; images: string[]; part: 'masks' } | { image: string | null; kind: ConditionKind; label: string | null; part: 'condition'; text: string | null } | { exposure_ms: number | null; images: GalleryImage[]; part: 'gallery' };

/** A question of a trial. */
export type ScreenQuestion = { form: Form; help: string | null; id: string; language: string | null; text: string };

/** A trial with opaque names in place of stimuli. */
export type ScreenTrial = { block: number; block_trials: number; feedback_ms: number | null; in_block: number; number: number; parts: ScreenPart[]; phase: Phase; questions: ScreenQuestion[]; rest_ms: number | null; showing: number };

/** What can stop a server from working, or a study from being analysed. */
export type ServerProblem = 'disk-full' | 'database-gone' | 'store-unavailable' | 'store-failed' | 'store-damaged' | 'image-unreadable' | 'analysis-failed';

/** A rater's progress. */
export type SessionProgress = { answered: number; at_most: number };

/** Progress, cost and findings of a study. */
export type Status = { cost: Cost | null; done: number; findings: Findings | null; findings_age_us: Micros; free: number; given_up: number; held: number; name: string; places: number; problems: OpenProblem[]; refused: Record<string, number> };

/** What identifies a study, so that its findings can be recomputed. */
export type StudyCard = { aggregator: string; generator: string; name: string; protocol: Fact[]; rubric: string; seed: number; spec: Digest; stimuli: Digest; study: Digest; task: string; task_version: number };

/** What raters may know about the study. */
export type StudyInfo = { contact: string | null; title: string | null };

export type Tab = string;

/** A table of findings. */
export type Table = { columns: Column[]; label: string; name: string; rows: unknown[][] };

/** A test over all models. */
export type Test = { df: number[]; effects?: Effect[]; name: string; p?: number | null; statistic?: number | null; statistic_name: string; undefined?: string | null };

/** How accurately limited exposures were displayed, over all presentations that a page reported. */
export type TimingQuality = { displayed: number; disturbed: Record<string, number>; exact: number; refresh_hz: Record<string, number>; suspect: number };

/** A trial to show. */
export type TrialScreen = { block: string[]; progress: SessionProgress; trial: ScreenTrial };

/** How much a note matters. */
export type Weight = 'warning' | 'note';

/** An estimate that counts the excluded raters as well. */
export type WithExcluded = { raters: number; value: number };

/** A text in the page's language or in another one. */
export type Worded = { language: string | null; text: string };
