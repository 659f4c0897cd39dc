suppressPackageStartupMessages({
  library(lme4)
  library(ordinal)
  library(emmeans)
})
options(width = 120, digits = 7)
emm_options(opt.digits = FALSE)
# With the package pbkrtest, intervals of lmer use Kenward and Roger's degrees of freedom; without it, the normal distribution.
if (!requireNamespace("pbkrtest", quietly = TRUE)) emm_options(lmer.df = "asymptotic")
bobyqa <- glmerControl(optimizer = "bobyqa")

answers <- read.csv("answers.csv", na.strings = "", colClasses = "character", encoding = "UTF-8")
answers$value <- as.numeric(answers$value)

# The rows of a measure, with models and levels in the order of the study.
of <- function(measure) {
  one <- answers[answers$measure == measure, ]
  for (column in names(order)) {
    present <- intersect(order[[column]], one[[column]])
    one[[column]] <- factor(one[[column]], levels = present)
  }
  one$level <- ordered(one$value)
  # A rater's taste for a model: random slopes with one variance.
  one$rater_model <- interaction(one$rater, one$model, drop = TRUE)
  one$output <- interaction(one$item, one$model, drop = TRUE)
  one
}

# The same with a column for each model: 1 where it is on the left, -1 where it is on the right.
compared <- function(measure, models) {
  one <- of(measure)
  for (number in seq_along(models)) {
    left <- as.character(one$model) == models[number]
    one[[paste0("d", number)]] <- left - (one$against == models[number])
  }
  one
}

# Problems are printed where they arise, and again at the end.
problems <- character()
problem <- function(name, text) {
  problems <<- unique(c(problems, paste0(name, ": ", text)))
  cat("WARNING:", text, "\n")
}

# A fit, whose warnings are problems.
checked <- function(name, fit) {
  cat("\n========", name, "========\n\n")
  withCallingHandlers(fit, warning = function(warned) {
    problem(name, conditionMessage(warned))
    invokeRestart("muffleWarning")
  })
  if (inherits(fit, "merMod")) print(summary(fit), correlation = FALSE) else print(summary(fit))
  if (inherits(fit, "merMod") && isSingular(fit)) {
    cat("\nA variance of random effects is estimated as 0: the fit is the same without this effect.\n")
  }
  if (inherits(fit, "clmm") && !isTRUE(max(abs(fit$gradient)) < 0.01)) problem(name, "the fit did not converge")
  fit
}

# Estimates with 95 % intervals, and all pairs with intervals and p values adjusted by Tukey's method.
estimates <- function(name, found, compared = TRUE) {
  cat("\nEstimates:\n")
  table <- summary(found, infer = TRUE)
  print(table)
  if (anyNA(table$SE)) problem(name, "an estimate has no standard error")
  if (compared) {
    cat("\nPairs:\n")
    print(summary(pairs(found, adjust = "tukey"), infer = TRUE))
  }
}

# Estimated marginal means, and tests of the factors where there are several.
means <- function(name, fit, by) {
  factors <- all.vars(by)
  if (length(factors) > 1) {
    cat("\nTests of factors and interactions:\n")
    print(joint_tests(fit))
  }
  estimates(name, emmeans(fit, by, type = "response"), length(factors) > 0)
  if (length(factors) > 1) {
    cat("\nOver all levels with equal weights:\n")
    estimates(name, emmeans(fit, factors[1], type = "response"))
  }
}

# Strengths of models, whose mean is 0, from the coefficients of their columns; at each level of a facet, if there is one.
strengths <- function(name, fit, models, facet = NULL) {
  columns <- paste0("d", seq_along(models)[-1])
  grid <- list(model = models)
  if (!is.null(facet)) {
    grid[[facet]] <- intersect(order[[facet]], answers[[facet]])
    columns <- as.vector(outer(columns, paste0(":", facet, grid[[facet]]), paste0))
  }
  fixed <- if (inherits(fit, "clmm")) fit$beta else fixef(fit)
  centred <- (diag(length(models)) - 1 / length(models))[, -1, drop = FALSE]
  found <- emmobj(
    bhat = unname(fixed[columns]), V = as.matrix(vcov(fit))[columns, columns, drop = FALSE], df = Inf,
    levels = grid, linfct = kronecker(diag(if (is.null(facet)) 1 else length(grid[[facet]])), centred)
  )
  estimates(name, if (is.null(facet)) found else update(found, by.vars = facet))
}
