// The messages between the page and the server, for the type checker. Generated from the types of the server:
// UPDATE_CONTRACT=1 cargo test -p hype-backends --features crowd page_contract

/** An action that operators may take. */
export type Act = { kind: 'pause' } | { kind: 'resume' } | { kind: 'close' } | { kind: 'call' } | { kind: 'top-up'; places: number } | { kind: 'exclude'; rater: string; reason: string } | { kind: 'include'; rater: string; reason: string } | { kind: 'reopen' } | { count: number; kind: 'links' } | { decision: CrowdAct; kind: 'crowd' };

/** The response to `POST operator/act`. */
export type ActReceipt = { done: string | null; links: string[]; pending: string | null };

/** `POST operator/act`. */
export type ActRequest = { act: Act; id: string };

/** Whether raters may enter. */
export type Admission = 'open' | 'paused' | 'closed';

/** A problem that needs the operator. */
export type Alert = { kind: 'problem'; problem: ServerProblem; reason: string; since_unix_ms: number } | { kind: 'panel-lost'; panel: string; since_unix_ms: number } | { kind: 'panel-refuses'; panel: string; requests: number } | { committed: Amount; currency: string; kind: 'budget'; limit: Amount } | { kind: 'stalled'; places: number; since_unix_ms: number } | { answered: number; below_ms: number; fast: number; kind: 'fast'; rater: string } | { fewer_than: number; items: number; kind: 'few-answers' };

/** An amount of money in the currency's unit, with at most six decimals */
export type Amount = number;

/** `POST api/answer`. */
export type AnswerReport = { answer: unknown; display?: Display | null; inspection?: Inspection | null; played?: Played | null; revision?: number; rt_us: number; scale?: ImageScale | null; showing: number; tab: Tab; trial: number };

/** Other measures of the same raters and models that say more about the values of a measure. */
export type Basis = { censoring: { at_least: string; at_most: string; falling?: string | null; rising?: string | null } } | { errors: { false_alarms: string; misses: string } };

/** `POST api/begin`. */
export type BeginRequest = { comprehension?: number | null; environment: Environment; tab: Tab };

/** The results of a quality check. */
export type CheckCounts = { consequence: Consequence; failed: number; name: string; passed: number; unclear: number };

/** The state of a check. */
export type CheckState = 'pass' | 'fail' | 'unclear';

/** One option of a choice. */
export type ChoiceOption = { key: string | null; label: string; value: string };

/** The size in pixels of a clip that is a condition; absent for other conditions. */
export type ClipSize = { height: number; width: number };

/** A view of a trial's images. */
export type CloseLook = { divider?: number | null; factor: number; for_us: number; from_us: number; front?: number | null; x: number; y: number };

/** Why there is no session. */
export type ClosedReason = 'full' | 'over' | 'paused' | 'took-part' | 'excluded' | 'not-qualified' | 'link-used' | 'link-invalid' | 'participant-invalid' | 'expired';

/** How fast sessions are completed. */
export type CompletionPace = { bins: number[]; hour: number; ten_minutes: number };

/** The question on the instructions. */
export type ComprehensionQuestion = { options: Worded[]; question: Worded; wrong: number };

/** The role of a condition for the model. */
export type ConditionKind = 'prompt' | 'instruction' | 'source' | 'mask' | 'subject' | 'control';

/** `POST api/consent`. */
export type ConsentRequest = { adult?: boolean | null; arrival?: Record<string, string>; language?: string; tab: Tab; text: string };

/** The information that a rater reads before agreeing to take part. */
export type ConsentScreen = { declined: WayBack | null; languages: string[]; minimum_age: number | null; minutes: number | null; needs: Needs | null; paragraphs: string[]; pay: PayOffer | null; text: string; waiting: WaitOffer | null };

/** The consequence of failing a check. */
export type Consequence = 'flag' | 'exclude';

/** The operators' decisions, and those that are open to them. */
export type ControlState = { actions: number; admission: Admission; downloads: Download[]; excluded: number; extra_places: number; recent: LoggedAction[]; takes_links: boolean };

/** The cost of a study. */
export type Cost = { currency: string; each: Amount; so_far: Amount | null; to_come: Amount };

/** How many answers there are about something. */
export type Coverage = { answers: number; name: string };

/** An operator's decision about recruiting. Repeating it has no second effect. */
export type CrowdAct = { kind: 'approve'; work: string } | { kind: 'reject'; reason: string; work: string } | { kind: 'pay' } | { kind: 'settle'; made: PaymentMade; payment: PaymentKey; sendings: number };

/** A listing at a panel. */
export type CrowdListing = { listing: number; places: number; state: string; taken: number };

/** The money of a study that recruits. What is spent and promised is the sum of the first four amounts. */
export type CrowdMoney = { committed: Amount; currency: string; fees: Amount; hourly: Amount | null; hourly_least: Amount | null; hourly_recommended: Amount | null; limit: Amount | null; paid: Amount; promised: Amount; unclear: Amount };

/** How recruiting goes. */
export type CrowdOverview = { not_reached: NotReached | null; panel: string; seen: CrowdSeen | null };

/** The state of recruiting according to a study's logs, its ledger and the panel. */
export type CrowdSeen = { approved: number; finished: number; listings: CrowdListing[]; listings_left_out: number; money: CrowdMoney; needed: number; offered: number; pending: number; problems: string[]; reason: ReasonLength | null; recruited: number; rejected: number; returned: number; to_review: number; unsettled: UnsettledPayment[]; unsettled_left_out: number; waiting: WaitingWork[]; waiting_left_out: number; working: number };

/** Which direction of a measure is better. */
export type Direction = 'higher' | 'lower' | 'neither';

/** Measurements of a page while it displayed a trial. */
export type Display = { frame_us: number; grain_us: number; parts: PartDisplayed[]; skipped: number; suspect: boolean; worst_late_us: number };

/** A cause that disturbs a trial with a limited exposure, or with clips. */
export type Disturbance = 'hidden' | 'blur' | 'fullscreen' | 'resize' | 'zoom' | 'freeze' | 'screen' | 'late' | 'stalled';

/** `POST api/disturbed`. */
export type DisturbedReport = { display?: Display | null; reason: Disturbance; showing: number; tab: Tab; trial: number };

/** A file that the operator can download. */
export type Download = { about: string; file: string };

/** The pay earned, in decimal numbers. */
export type EarnedPay = { base: string; bonus: string; currency: string; waiting: string | null };

/** The last screen of a session. */
export type EndScreen = { again: boolean; code: string | null; earned: EarnedPay | null; ending: Ending; excluded: boolean; hand_in: HandIn | null; next_rater: boolean; redirect: string | null };

/** How a session ended. */
export type Ending = 'completed' | 'disqualified' | 'left' | 'screened-out';

/** How an image is enlarged by a whole factor. */
export type Enlargement = 'nearest' | 'lanczos';

/** The trials that decide whether a rater takes part. */
export type EntryTest = { each_class: boolean; needed: number; trials: number };

/** The environment of the rater's page, as measured by the page. */
export type Environment = { frame_spread: number; frame_us: number; grain_us: number; height: number; pixel_ratio: number; reduced_motion: boolean; refresh_hz: number; touch: boolean; width: number };

/** An example image with its right answer. */
export type Example = { answer: Worded; height: number; image: string; note: Worded | null; width: number };

/** An exclusion by the operator. */
export type ExcludedBy = { by: string; reason: string; unix_ms: number };

/** A trial that a page may show before its server has the answer to the current one. */
export type FollowingTrial = { back: boolean; block: string[]; progress: SessionProgress; trial: ScreenTrial };

/** The form of an answer. */
export type Form = { choice: { options: ChoiceOption[] } } | { number: { maximum: number; minimum: number; whole: boolean } } | { ranking: { candidates: ChoiceOption[]; ties: boolean } } | { several: { at_least: number; at_most: number; options: ChoiceOption[] } } | { slider: { from: string; maximum: number; minimum: number; step: number; to: string } } | { text: { at_most: number } } | { marks: { at_most: number } };

/** An image of a gallery. */
export type GalleryImage = { height: number; image: string; label: string; media?: MediaKind; width: number };

/** The answer to a trial to which the rater has returned. */
export type GivenAnswer = { answer: unknown; revision: number };

/** The form by which a session is handed in at the panel. */
export type HandIn = { action: string; fields: Record<string, string> };

/** The scale of all images on a rater's screen. */
export type ImageScale = { enlarge?: Enlargement; factor: number; pixel_ratio: number };

/** The views of a trial's images other than the first one, in which all are whole and each is in its own place.  All images of a trial are in step: a view is the same for each of them. */
export type Inspection = { further_us?: number; looks: CloseLook[] };

/** The instructions that a rater reads before the first trial. */
export type InstructionsScreen = { comprehension: ComprehensionQuestion | null; examples: Example[]; flashes: boolean; minutes: number | null; needs: Needs | null; paragraphs: Worded[][]; pay: PayOffer | null; questions: ScreenQuestion[]; test: EntryTest | null; timed: boolean; zoom: boolean };

/** An interval. */
export type Interval = { df?: number[]; high: number; level: number; low: number; method: string };

/** The items whose answers are in a range. */
export type ItemBin = { from: number; items: number; to: number };

/** Answers by item, or by stimulus in a study without items. */
export type ItemCoverage = { bins: ItemBin[]; few: ItemBin | null; items: number; least: Coverage[]; median: number };

/** `POST api/leave`. */
export type LeaveRequest = { tab: Tab };

/** The pay of a rater who leaves now. */
export type LeavingPay = { amount: string; currency: string };

/** An entry of the log of operators' actions, numbered by its position. */
export type LoggedAction = { action: OperatorAction; by: string; id: string; unix_ms: number };

/** The measure of a value. */
export type Measure = { basis?: Basis | null; bias?: number | null; descriptive?: string | null; direction: Direction; label: string; name: string; reference?: ReferenceValue | null; scale?: MeasureScale | null; shown?: MeasureLabel | null; unit: string };

/** The estimates of a measure. */
export type MeasureEstimates = { estimates: ModelEstimate[]; left_out: number; measure: Measure };

/** How a measure is called. */
export type MeasureLabel = { headline?: string | null; label?: string | null; unit?: string | null };

/** The meaning of differences between the values of a measure. */
export type MeasureScale = 'nominal' | 'ordinal' | 'interval';

/** A kind of media. All sets that a task shows are of one kind. */
export type MediaKind = 'image' | 'video' | 'text';

/** A point in time or a duration in microseconds, on the clock of the session's driver. */
export type Micros = number;

/** The raters and answers of a model. */
export type ModelCoverage = { answers: number; name: string; place: number; places: number; raters: number };

/** An estimate for a model. */
export type ModelEstimate = { interval: Interval | null; model: string; raters: number; value: number; with_excluded: WithExcluded | null };

/** Requirements of a timed task for the rater's device. */
export type Needs = { height: number; keyboard: boolean; refresh_hz: number; width: number };

/** `POST api/next`. */
export type NextRequest = { tab: Tab };

/** A panel that cannot be asked. */
export type NotReached = { reason: string; since_unix_ms: number };

/** `POST api/open`. */
export type OpenRequest = { arrival?: Record<string, string>; language?: string; shown?: Whereabouts; tab: Tab };

/** An operator's action. */
export type OperatorAction = { kind: 'pause' } | { kind: 'resume' } | { kind: 'close' } | { kind: 'call' } | { kind: 'top-up'; places: number } | { kind: 'exclude'; rater: string; reason: string; session: string } | { kind: 'include'; rater: string; reason: string; session: string } | { kind: 'reopen'; places: number } | { count: number; first: number; kind: 'links' } | { kind: 'key'; name: string; number: number } | { kind: 'export'; what: string };

/** The role that a key of the operator's page grants. */
export type OperatorRole = 'reader' | 'operator';

/** How one part of a trial was displayed. */
export type PartDisplayed = { frames: number; image: number; onset_us: number; part: number; planned_frames: number; requested_ms: number; shown_us: number };

/** The payment offered, in decimal numbers. */
export type PayOffer = { base: string; currency: string; per_correct: string; screened_out: string | null; tested: boolean };

/** Identifies a payment: a session is paid at most once for each purpose. */
export type PaymentKey = { purpose: PaymentPurpose; session: string };

/** Whether a payment was made. */
export type PaymentMade = 'made' | 'not-made';

/** The purpose of a payment. */
export type PaymentPurpose = 'reward' | 'bonus';

/** The phase of a session. */
export type Phase = 'qualification' | 'practice' | 'main' | 'catch' | 'gold' | 'repeat' | 'before' | 'after';

/** A dot of a plate. Lengths are in units of 1/10,000 of the plate's side. */
export type PlateDot = { colour: number[]; radius: number; x: number; y: number };

/** A time in which a clip did not play as it should. */
export type PlaybackLapse = { at_us: number; for_us: number };

/** How the clips or texts of a trial were shown. Times are in microseconds, and begin with the onset of the trial. */
export type Played = { hidden_us: number; members: PlayedMember[]; offset_us: number; slips: PlaybackLapse[] };

/** How one clip or text was shown. */
export type PlayedMember = { dropped: number; first_us: number; replays: number; seen: number[][]; shown_us: number; stalls: PlaybackLapse[] };

/** A description of a task that a worker has not accepted yet. It cannot be answered. */
export type PreviewScreen = { consent: string[]; guidance: Worded[][]; languages: string[]; minutes: number | null; needs: Needs | null; pay: PayOffer | null; test: EntryTest | null };

/** A check that a session did not pass. */
export type RaterFlag = { excludes: boolean; name: string; state: CheckState; why: string };

/** The raters of a tab of the page. */
export type RaterGroup = 'active' | 'idle' | 'completed' | 'not-qualified' | 'left' | 'excluded';

/** The raters of a study by what they do. Each rater is in one of the groups. */
export type RaterGroups = { active: number; completed: number; excluded: number; idle: number; left: number; not_qualified: number };

/** The response to `POST operator/raters`. */
export type RaterList = { below_ms: number; matching: number; raters: RaterRow[] };

/** `POST operator/raters`, which changes nothing. */
export type RaterQuery = { find?: string; group?: RaterGroup | null; skip?: number };

/** A rater and the rater's session. */
export type RaterRow = { answered: number; at_most: number; attention: boolean; excluded: ExcludedBy | null; fast: number; flags: RaterFlag[] | null; hidden: number; idle_us: Micros | null; median_us: Micros | null; models: string[]; rater: string; state: RaterState };

/** The state of a rater. */
export type RaterState = 'rating' | 'waiting' | 'resting' | 'idle' | 'away' | 'completed' | 'excluded' | 'disqualified' | 'screened-out' | 'left' | 'erased';

/** How long a reason for a rejection is, in characters. */
export type ReasonLength = { longest: number; shortest: number };

/** The response to a report that was stored. */
export type Receipt = { correct: boolean | null; next: Screen; saved: boolean };

/** A value of a measure that readers compare results with. */
export type ReferenceValue = { label: string; value: number };

/** A request was refused. */
export type RefusalBody = { error: RefusalReason };

/** Why a request was refused. */
export type RefusalReason = { code: string; message: string };

/** When a question has to be answered. A question that does not have to be answered, and is not, has no entry in the answer. */
export type Required = boolean | Trigger;

/** A screen of the page. */
export type Screen = (PreviewScreen & { screen: 'preview' } | { screen: 'aside'; session: SessionElsewhere } | ConsentScreen & { screen: 'consent' } | InstructionsScreen & { screen: 'instructions' } | WaitingScreen & { screen: 'waiting' } | TrialScreen & { screen: 'trial' } | EndScreen & { screen: 'end' } | { reason: ClosedReason; screen: 'closed' }) & ({ language: string; leaving?: LeavingPay | null; study: StudyInfo });

/** A part of a trial. */
export type ScreenPart = { each_ms: number; from: number; part: 'countdown' } | { exposure_ms: number | null; height: number; image: string; media?: MediaKind; part: 'image'; width: number } | { each_ms: number; images: string[]; part: 'masks' } | { clip?: ClipSize | null; image: string | null; kind: ConditionKind; label: string | null; part: 'condition'; text: string | null } | { exposure_ms: number | null; images: GalleryImage[]; part: 'gallery' } | { dots: PlateDot[]; part: 'plate' };

/** How the page plays the clips of a trial and lets its texts be read. */
export type ScreenPlayback = { finish: number; reading_ms?: number[]; replay: boolean; stalls_at_most_ms: number; unequal: Unequal };

/** A question of a trial. */
export type ScreenQuestion = { form: Form; help: string | null; id: string; language: string | null; required: Required; text: string };

/** A trial with opaque names in place of stimuli. */
export type ScreenTrial = { answer_after_ms: number; block: number; block_trials: number; enlarge: Enlargement; feedback_ms: number | null; in_block: number; number: number; parts: ScreenPart[]; phase: Phase; playback?: ScreenPlayback | null; questions: ScreenQuestion[]; rest_ms: number | null; showing: number; zoom: boolean };

/** A problem that can stop a server from working, a study from being analysed, or its places from being filled by people. */
export type ServerProblem = 'disk-full' | 'database-gone' | 'store-unavailable' | 'store-failed' | 'store-damaged' | 'image-unreadable' | 'analysis-failed' | 'places-go-fast';

/** The sessions of a study by their ends. */
export type SessionCounts = { answers: number; completed: number; disqualified: number; erased: number; in_progress: number; left: number; screened_out: number; sessions: number };

/** The state of a session in another window. */
export type SessionElsewhere = 'none' | 'open';

/** A rater's progress. */
export type SessionProgress = { answered: number; at_most: number };

/** A figure of a running study. */
export type ShownFigure = { about: string; key: string; title: string; version: string };

/** The state of a study, for the holder of a key. */
export type Status = { alerts: Alert[]; alerts_left_out: number; alerts_resolved: number; checks: CheckCounts[]; control: ControlState; cost: Cost | null; counted: SessionCounts | null; crowd: CrowdOverview | null; done: number; estimates: MeasureEstimates[]; estimates_age_us: Micros | null; figures: ShownFigure[]; free: number; given_up: number; held: number; items: ItemCoverage; measures_left_out: number; models: ModelCoverage[]; name: string; opened_unix_ms: number; pace: CompletionPace; places: number; raters: RaterGroups; refused: Record<string, number>; role: OperatorRole; sessions_read: number; sessions_unreadable: number; stopping: StoppingFindings | null; task: string; timing: TimingQuality | null; unix_ms: number; waiting: WaitingRoom | null };

/** The stopping rule of a study: its looks, and what it decided. */
export type StoppingFindings = { beyond: number; looks: StoppingLook[]; measure: string; method: string; per_model: boolean; planned: number; rule: unknown; statistic: string; stopped_at?: number | null };

/** A look at the raters of the first places. */
export type StoppingLook = { boundary?: number | null; raters: number; spent?: number | null; stops: boolean; taken: boolean; tests?: StoppingTest[] };

/** The result of a look for a pair of models, one model, or all of them. */
export type StoppingTest = { boundary?: number | null; decided: boolean; estimate?: number | null; interval?: Interval | null; median_unbiased?: number | null; median_unbiased_interval?: Interval | null; models: string[]; p?: number | null; statistic?: number | null; undefined?: string | null };

/** Facts about the study that raters may see. */
export type StudyInfo = { contact: string | null; title: string | null };

export type Tab = string;

/** How accurately limited exposures were displayed, over all presentations that a page reported. */
export type TimingQuality = { displayed: number; disturbed: Record<string, number>; exact: number; refresh_hz: Record<string, number>; suspect: number };

/** A trial to show. */
export type TrialScreen = { back: boolean; block: string[]; following: FollowingTrial | null; given: GivenAnswer | null; progress: SessionProgress; trial: ScreenTrial };

/** The answers to one question that make another one required. */
export type Trigger = { after: string; any_of: string[] };

/** Clips of different lengths in one trial. */
export type Unequal = 'hold' | 'independent' | 'cut';

/** A payment that the operator has to confirm or deny. */
export type UnsettledPayment = { amount: Amount; purpose: PaymentPurpose; sendings: number; state: UnsettledState; why: string | null; work: string };

/** Why the operator has to say whether a payment was made. */
export type UnsettledState = 'unclear' | 'by-hand';

/** An offer to raters who may have to wait. */
export type WaitOffer = { currency: string; minutes_at_most: number; per_hour: string };

/** `POST api/wait`. */
export type WaitRequest = { tab: Tab };

/** The raters of a study that is held open. */
export type WaitingRoom = { is_called: boolean; raters: number; waiting: number };

/** The screen of a rater who waits until the study needs raters. The page asks every few seconds whether the wait is over. */
export type WaitingScreen = { currency: string; minutes: number; minutes_at_most: number; minutes_left: number; pay: string; per_hour: string };

/** Work that waits for the operator. */
export type WaitingWork = { earned: Amount; failed: string[]; rater: string | null; why: string; work: string };

/** How a rater returns to the panel. */
export type WayBack = { code: string | null; redirect: string | null };

/** Where a browser shows the page. */
export type Whereabouts = 'window' | 'frame' | 'aside';

/** An estimate that counts the excluded raters as well. */
export type WithExcluded = { raters: number; value: number };

/** A text in the page's language or in another one. */
export type Worded = { language: string | null; text: string };
