//! EPAs of contracts, state for state and edge for edge, without configuration. What is expected is worked out by hand (most
//! of it has been published): a state is what can be called in it, with the senders, values and times that there may be.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::epa::{list, states, text};
use crate::support::program::{stdout, tranquera};

/// Edges as text: `init -> S`, `S: a -> T`, where a state is its actions.
type Edges = BTreeSet<String>;

fn epa(file: &str, contract: &str, more: &[&str]) -> Value {
    let folder = if file.contains('/') {
        ""
    } else {
        "benchmarks/"
    };
    let file = format!(
        "fixtures/solidity/{folder}{}.json",
        file.trim_start_matches('/')
    );
    let run = tranquera(["epa", &file, "--contract", contract, "--format", "json"])
        .env("TRANQUERA_CACHE", "off")
        .args(more)
        .assert()
        .success();
    serde_json::from_str(&stdout(&run)).expect("JSON")
}

/// With guards of the state alone.
const STATE: &[&str] = &["--guards", "state", "--confirm"];
/// For contracts whose guards of the state are exact.
const BOTH: [&[&str]; 2] = [&["--confirm"], STATE];

/// The edges of an EPA, none of which may be uncertain.
fn edges(epa: &Value) -> Edges {
    let states: BTreeMap<&str, String> = states(epa)
        .map(|(id, enabled)| {
            // Predicates have blanks in them.
            let enabled = enabled.into_iter().map(|mark| mark.replace(' ', ""));
            let enabled: BTreeSet<String> = enabled.collect();
            let enabled: Vec<String> = enabled.into_iter().collect();
            (id, format!("{{{}}}", enabled.join(" ")))
        })
        .collect();
    let mut edges = Edges::new();
    for edge in list(epa, "constructors").chain(list(epa, "transitions")) {
        assert_eq!(text(edge, "verdict"), "reached", "{edge}");
        assert_eq!(edge["violates_invariant"], Value::Bool(false), "{edge}");
    }
    for edge in list(epa, "constructors") {
        edges.insert(format!("init -> {}", states[text(edge, "target")]));
    }
    for edge in list(epa, "transitions") {
        let (source, target) = (&states[text(edge, "source")], &states[text(edge, "target")]);
        edges.insert(format!("{source}: {} -> {target}", text(edge, "action")));
    }
    edges
}

/// `S: a b -> T | U`, with names for states: each edge alone.
fn expected(states: &[(&str, &str)], edges: &str) -> Edges {
    let state = |name: &str| {
        let (_, enabled) = states
            .iter()
            .find(|(known, _)| *known == name)
            .expect("a state");
        let enabled: BTreeSet<&str> = enabled.split_whitespace().collect();
        let enabled: Vec<&str> = enabled.into_iter().collect();
        format!("{{{}}}", enabled.join(" "))
    };
    let mut found = Edges::new();
    for line in edges.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (from, to) = line.split_once("->").expect("an edge");
        for target in to.split('|') {
            let target = state(target.trim());
            match from.split_once(':') {
                None => {
                    found.insert(format!("init -> {target}"));
                }
                Some((source, actions)) => {
                    for action in actions.split_whitespace() {
                        found.insert(format!("{}: {action} -> {target}", state(source.trim())));
                    }
                }
            }
        }
    }
    found
}

fn check(file: &str, contract: &str, more: &[&str], states: &[(&str, &str)], graph: &str) {
    let epa = epa(file, contract, more);
    let (found, expected) = (edges(&epa), expected(states, graph));
    let missing: Vec<_> = expected.difference(&found).collect();
    let more_than: Vec<_> = found.difference(&expected).collect();
    assert!(
        missing.is_empty() && more_than.is_empty(),
        "{contract}: missing {missing:#?}, not expected {more_than:#?}"
    );
    if more.contains(&"--confirm") {
        for edge in list(&epa, "transitions") {
            assert_eq!(text(&edge["confirmation"], "status"), "confirmed", "{edge}");
        }
    }
}

/// There is always room for one more deposit: no contract ever has so much ether that nothing more can be paid in.
#[test]
fn a_contract_has_less_than_all_ether() {
    check(
        "/savings",
        "Savings",
        &["--confirm"],
        &[
            ("open", "deposit tick"),
            ("full", "withdraw tick"),
            ("empty", "tick"),
        ],
        "init -> open | empty
         open: deposit -> open
         open: tick -> open | full | empty
         full: tick -> full
         full: withdraw -> full | empty
         empty: tick -> empty",
    );
}

/// Who has won may take the prize, or not; both is for him to say.
#[test]
fn who_is_paid_may_not_take_it() {
    check(
        "/prize",
        "Prize",
        &["--confirm"],
        &[
            ("open", "decide"),
            ("decided", "pay"),
            ("kept", "collect"),
            ("over", ""),
        ],
        "init -> open
         open: decide -> decided
         decided: pay -> kept | over
         kept: collect -> over",
    );
}

#[test]
fn an_owner_in_two_steps() {
    // Both functions of the owner can be called while there is one; the owner may offer the contract to nobody.
    check(
        "two_step",
        "TwoStep",
        &["--confirm"],
        &[
            ("owned", "transferOwnership renounceOwnership"),
            (
                "offered",
                "transferOwnership acceptOwnership renounceOwnership",
            ),
            ("nobody's", ""),
        ],
        "init -> owned
         owned: transferOwnership -> owned | offered
         owned: renounceOwnership -> nobody's
         offered: transferOwnership -> owned | offered
         offered: acceptOwnership -> owned
         offered: renounceOwnership -> nobody's",
    );
}

#[test]
fn who_is_responsible_may_be_nobody() {
    let states = [
        ("both", "transferResponsibility complete"),
        ("transfer", "transferResponsibility"),
        ("complete", "complete"),
        ("end", ""),
    ];
    check(
        "provenance",
        "Provenance",
        &["--confirm"],
        &states,
        "init -> both | transfer
         both: transferResponsibility -> both | complete
         both: complete -> end
         transfer: transferResponsibility -> transfer | end
         complete: complete -> end",
    );
    check(
        "provenance",
        "ProvenanceFixed",
        &["--confirm"],
        &states,
        "init -> transfer
         transfer: transferResponsibility -> transfer | both | complete | end
         both: transferResponsibility -> both | complete
         both: complete -> end
         complete: complete -> end",
    );
}

#[test]
fn an_offer_is_made_and_taken() {
    check(
        "marketplace",
        "Marketplace",
        &["--confirm"],
        &[
            ("asked", "makeOffer acceptOffer"),
            ("offered", "reject acceptOffer"),
            ("sold", "acceptOffer"),
        ],
        "init -> asked
         asked: makeOffer -> offered
         asked: acceptOffer -> sold
         offered: reject -> asked
         offered: acceptOffer -> sold
         sold: acceptOffer -> sold",
    );
    // That the seller is somebody is known from the runs only.
    for guards in BOTH {
        check(
            "marketplace",
            "MarketplaceFixed",
            guards,
            &[
                ("asked", "makeOffer"),
                ("offered", "reject acceptOffer"),
                ("sold", ""),
            ],
            "init -> asked
             asked: makeOffer -> offered
             offered: reject -> asked
             offered: acceptOffer -> sold",
        );
    }
}

#[test]
fn a_question_and_its_answer() {
    check(
        "greeting",
        "Greeting",
        &["--confirm"],
        &[("both", "ask respond")],
        "init -> both
         both: ask respond -> both",
    );
    for guards in BOTH {
        check(
            "greeting",
            "GreetingFixed",
            guards,
            &[("asked", "respond"), ("answered", "ask")],
            "init -> asked
             asked: respond -> answered
             answered: ask -> asked",
        );
    }
}

#[test]
fn an_escrow_pays_or_gives_back() {
    check(
        "refund_escrow",
        "RefundEscrow",
        &["--confirm"],
        &[
            ("open", "deposit close enableRefunds transferPrimary"),
            ("paying", "beneficiaryWithdraw transferPrimary"),
            ("refunding", "withdraw transferPrimary"),
            ("empty", "transferPrimary"),
        ],
        "init -> open
         open: deposit transferPrimary -> open
         open: close -> paying | empty
         open: enableRefunds -> refunding | empty
         paying: transferPrimary -> paying
         paying: beneficiaryWithdraw -> empty
         refunding: transferPrimary -> refunding
         refunding: withdraw -> refunding | empty
         empty: transferPrimary -> empty",
    );
}

/// Offered, looked at by two in either order, agreed by two in either order; the owner may call it off even when it is over.
/// That the buyer is somebody, and not the owner, is known from the runs only.
#[test]
fn a_house_is_sold() {
    check(
        "asset_transfer",
        "AssetTransfer",
        &["--confirm"],
        &[
            ("active", "terminate modify makeOffer"),
            (
                "offered",
                "terminate acceptOffer reject modifyOffer rescindOffer",
            ),
            (
                "pending",
                "terminate reject rescindOffer markAppraised markInspected",
            ),
            ("inspected", "terminate reject rescindOffer markAppraised"),
            ("appraised", "terminate reject rescindOffer markInspected"),
            ("agreed", "terminate reject rescindOffer accept"),
            ("by buyer", "terminate reject accept"),
            ("by seller", "terminate rescindOffer accept"),
            ("over", "terminate"),
        ],
        "init -> active
         active: modify -> active
         active: makeOffer -> offered
         active: terminate -> over
         offered: modifyOffer -> offered
         offered: acceptOffer -> pending
         offered: reject rescindOffer -> active
         offered: terminate -> over
         pending: markInspected -> inspected
         pending: markAppraised -> appraised
         pending: reject rescindOffer -> active
         pending: terminate -> over
         inspected: markAppraised -> agreed
         inspected: reject rescindOffer -> active
         inspected: terminate -> over
         appraised: markInspected -> agreed
         appraised: reject rescindOffer -> active
         appraised: terminate -> over
         agreed: accept -> by buyer | by seller
         agreed: reject rescindOffer -> active
         agreed: terminate -> over
         by buyer: reject -> active
         by buyer: accept terminate -> over
         by seller: rescindOffer -> active
         by seller: accept terminate -> over
         over: terminate -> over",
    );
}

/// The graph over the enum, as it has been published: its last two values are told apart, which nothing that can be called does.
#[test]
fn a_house_is_sold_step_by_step() {
    check(
        "asset_transfer",
        "AssetTransfer",
        &["--states", "step", "--confirm"],
        &[
            ("active", "terminate modify makeOffer step==Step.Active"),
            (
                "offered",
                "terminate acceptOffer reject modifyOffer rescindOffer step==Step.Offered",
            ),
            (
                "pending",
                "terminate reject rescindOffer markAppraised markInspected step==Step.Pending",
            ),
            (
                "inspected",
                "terminate reject rescindOffer markAppraised step==Step.Inspected",
            ),
            (
                "appraised",
                "terminate reject rescindOffer markInspected step==Step.Appraised",
            ),
            (
                "agreed",
                "terminate reject rescindOffer accept step==Step.Agreed",
            ),
            ("by buyer", "terminate reject accept step==Step.ByBuyer"),
            (
                "by seller",
                "terminate rescindOffer accept step==Step.BySeller",
            ),
            ("done", "terminate step==Step.Done"),
            ("off", "terminate step==Step.Off"),
        ],
        "init -> active
         active: modify -> active
         active: makeOffer -> offered
         active: terminate -> off
         offered: modifyOffer -> offered
         offered: acceptOffer -> pending
         offered: reject rescindOffer -> active
         offered: terminate -> off
         pending: markInspected -> inspected
         pending: markAppraised -> appraised
         pending: reject rescindOffer -> active
         pending: terminate -> off
         inspected: markAppraised -> agreed
         inspected: reject rescindOffer -> active
         inspected: terminate -> off
         appraised: markInspected -> agreed
         appraised: reject rescindOffer -> active
         appraised: terminate -> off
         agreed: accept -> by buyer | by seller
         agreed: reject rescindOffer -> active
         agreed: terminate -> off
         by buyer: reject -> active
         by buyer: accept -> done
         by buyer: terminate -> off
         by seller: rescindOffer -> active
         by seller: accept -> done
         by seller: terminate -> off
         done: terminate -> off
         off: terminate -> off",
    );
}

/// With deposits there is always an address that has none: somebody can be given back nothing, whoever else has deposited.
#[test]
fn a_vault_pays_or_gives_back() {
    check(
        "escrow_vault",
        "EscrowVault",
        &["--confirm"],
        &[
            (
                "open",
                "deposit setGoalReached enableRefunds transferOwnership",
            ),
            (
                "reached",
                "deposit withdraw withdrawAll close transferOwnership",
            ),
            ("empty", "deposit withdrawAll close transferOwnership"),
            ("refunding", "refund transferOwnership"),
            ("closed", "transferOwnership"),
        ],
        "init -> open
         open: deposit transferOwnership -> open
         open: setGoalReached -> reached | empty
         open: enableRefunds -> refunding
         reached: deposit transferOwnership -> reached
         reached: withdraw -> reached | empty
         reached: withdrawAll -> empty
         reached: close -> closed
         empty: deposit -> reached | empty
         empty: withdrawAll transferOwnership -> empty
         empty: close -> closed
         refunding: refund transferOwnership -> refunding
         closed: transferOwnership -> closed",
    );
}

/// Who gives the escrow up while it is open locks everything in it.
#[test]
fn an_escrow_that_nobody_owns() {
    check(
        "refund_escrow_owned",
        "RefundEscrowOwned",
        &["--confirm"],
        &[
            (
                "open",
                "deposit close enableRefunds renounceOwnership transferOwnership",
            ),
            (
                "paying",
                "beneficiaryWithdraw renounceOwnership transferOwnership",
            ),
            ("refunding", "withdraw renounceOwnership transferOwnership"),
            ("paying for ever", "beneficiaryWithdraw"),
            ("dead", ""),
        ],
        "init -> open
         open: deposit transferOwnership -> open
         open: close -> paying
         open: enableRefunds -> refunding
         open: renounceOwnership -> dead
         paying: beneficiaryWithdraw transferOwnership -> paying
         paying: renounceOwnership -> paying for ever
         refunding: withdraw transferOwnership -> refunding
         refunding: renounceOwnership -> dead
         paying for ever: beneficiaryWithdraw -> paying for ever",
    );
}

/// Worked out by hand: what is due to somebody grows with what comes in, until he takes it; then there may be others. (That what
/// was taken and what is there are together too much for 256 bits takes more ether than there is, many times over: one step may
/// lead there.)
#[test]
fn partners_with_a_part_each() {
    check(
        "partners",
        "Partners",
        &[],
        &[("nothing due", "receive"), ("due", "receive take")],
        "init -> nothing due | due
         nothing due: receive -> nothing due | due
         due: receive -> due | nothing due
         due: take -> due | nothing due",
    );
}

/// Worked out by hand. What has been published has time go on block by block, so that it cannot leap over the deadline: there
/// the two arrows are not that lead from donating to the end.
#[test]
fn donations_until_a_block() {
    check(
        "crowdfunding",
        "Crowdfunding",
        &["--confirm"],
        &[
            ("donating", "donate tick"),
            ("funded", "getFunds tick"),
            ("failed", "claim tick"),
            ("over", "tick"),
        ],
        "init -> donating | funded | over
         donating: donate -> donating
         donating: tick -> donating | over | funded | failed
         over: tick -> over | funded | failed
         funded: getFunds -> funded | over
         funded: tick -> funded
         failed: claim -> failed | over
         failed: tick -> failed",
    );
}

/// Whether there is anything is told, too. As above, what has been published is this without the leaps over the deadline: from
/// donating to its end, and from the beginning with a goal of nothing.
#[test]
fn donations_that_there_are_or_not() {
    check(
        "crowdfunding",
        "Crowdfunding",
        &["--states", "balance > 0", "--confirm"],
        &[
            ("donating", "donate tick"),
            ("funded", "getFunds tick"),
            ("over", "tick"),
            ("donating some", "donate tick balance>0"),
            ("some funded", "getFunds tick balance>0"),
            ("some failed", "claim tick balance>0"),
            ("some at the deadline", "tick balance>0"),
        ],
        "init -> donating | funded | over
         donating: donate -> donating | donating some
         donating: tick -> donating | over | funded
         over: tick -> over | funded
         funded: getFunds tick -> funded
         donating some: donate -> donating some
         donating some: tick -> donating some | some at the deadline | some funded | some failed
         some at the deadline: tick -> some funded | some failed
         some funded: getFunds -> funded | over
         some funded: tick -> some funded
         some failed: claim -> some failed | over
         some failed: tick -> some failed",
    );
}

/// A block goes by with each call: donors may still give in the block of the deadline, and the last of them ends it.
#[test]
fn donations_with_a_block_for_each_call() {
    check(
        "crowdfunding",
        "CrowdfundingFixed",
        &["--time", "step"],
        &[
            ("donating", "donate"),
            ("funded", "getFunds"),
            ("failed", "claim"),
            ("over", ""),
        ],
        "init -> donating | funded | over
         donating: donate -> donating | funded | failed | over
         funded: getFunds -> funded | over
         failed: claim -> failed | over",
    );
}

/// Each call is made when it likes: whoever waits until the deadline is over can do what can be done then. One step back, the
/// owner may be nobody, and then nobody gets the funds.
#[test]
fn donations_with_calls_at_any_later_time() {
    check(
        "crowdfunding",
        "CrowdfundingFixed",
        &["--time", "call"],
        &[
            ("donating", "donate"),
            ("enough", "donate getFunds"),
            ("some", "donate claim"),
            ("funded", "getFunds"),
            ("failed", "claim"),
            ("over", ""),
        ],
        "init -> donating | enough | funded | over
         donating: donate -> donating | enough | some
         enough: donate -> enough
         enough: getFunds -> funded | over
         some: donate -> some | enough | donating
         some: claim -> failed | over
         funded: getFunds -> funded | over
         failed: claim -> failed | over",
    );
}

/// The end asks for what only the end would do. A second goes by with each call.
#[test]
fn an_auction_that_never_ends() {
    check(
        "auction",
        "Auction",
        &["--time", "step", "--confirm"],
        &[
            ("bid", "bid"),
            ("bid owed", "bid withdraw"),
            ("owed", "withdraw"),
            ("over", ""),
        ],
        "init -> bid | over
         bid: bid -> bid | bid owed | owed | over
         bid owed: bid -> bid owed | owed
         bid owed: withdraw -> bid owed | bid | owed | over
         owed: withdraw -> owed | over",
    );
}

/// Setting it up reverts where it cannot be done, and a sale may be set up that is over or not begun. It is closed before its end
/// only where all is sold, so that there is a refund only behind its end.
#[test]
fn tokens_are_sold_until_a_block() {
    check(
        "token_sale",
        "TokenSale",
        &["--confirm"],
        &[
            ("made", "setup tick"),
            ("selling", "buy check tick"),
            ("waiting", "check tick"),
            ("failed", "check refund tick"),
        ],
        "init -> made
         made: setup -> selling | waiting
         made: tick -> made
         selling: buy -> selling | waiting
         selling: check -> selling
         selling: tick -> selling | waiting
         waiting: check -> waiting | failed
         waiting: tick -> waiting | selling
         failed: check -> failed
         failed: refund -> failed | waiting
         failed: tick -> failed",
    );
}

/// In the last second there may be bids after the end, so that not all is there any more that is owed. That nobody could bid then
/// is refuted: what is owed beyond what is there was paid out at the end, and is no more than all ether. What has been published
/// has time go on second by second, and an auction that ends before it begins: there the arrows to `auctionEnd` by a long wait are
/// not, and one from the beginning to it is.
#[test]
fn an_auction_that_is_bid_for_in_its_last_second() {
    check(
        "auction",
        "SimpleAuction",
        &["--confirm"],
        &[
            ("bid", "bid tick"),
            ("bid owed", "bid withdraw tick"),
            ("last", "bid auctionEnd tick"),
            ("last owed", "bid auctionEnd withdraw tick"),
            ("end", "auctionEnd tick"),
            ("end owed", "auctionEnd withdraw tick"),
            ("owed", "withdraw tick"),
            ("over", "tick"),
        ],
        "init -> bid | last
         bid: bid -> bid | bid owed
         bid: tick -> bid | last | end | over
         bid owed: bid -> bid owed
         bid owed: withdraw -> bid owed | bid
         bid owed: tick -> bid owed | last owed | end owed | owed
         last: bid -> last | last owed
         last: auctionEnd -> bid
         last: tick -> end
         last owed: bid -> last owed
         last owed: withdraw -> last owed | last
         last owed: auctionEnd -> bid owed
         last owed: tick -> end owed
         end: auctionEnd -> over
         end: tick -> end
         end owed: withdraw -> end owed | end
         end owed: auctionEnd -> owed
         end owed: tick -> end owed
         owed: withdraw -> owed | over
         owed: tick -> owed
         over: tick -> over",
    );
}

/// With what is required of the state alone; worked out from the published guards.
mod of_the_state_alone {
    use super::{STATE, check};

    /// Who is responsible may be nobody, and still there is an arrow for each step that somebody else could take.
    #[test]
    fn goods_go_from_hand_to_hand() {
        let states = [
            ("both", "transferResponsibility complete"),
            ("transfer", "transferResponsibility"),
            ("end", ""),
        ];
        check(
            "provenance",
            "Provenance",
            STATE,
            &states,
            "init -> both
             both: transferResponsibility -> both
             both: complete -> end",
        );
        check(
            "provenance",
            "ProvenanceFixed",
            STATE,
            &states,
            "init -> transfer
             transfer: transferResponsibility -> both
             both: transferResponsibility -> both
             both: complete -> end",
        );
    }

    /// That the vault is empty does not show.
    #[test]
    fn a_vault_pays_or_gives_back() {
        check(
            "escrow_vault",
            "EscrowVault",
            STATE,
            &[
                (
                    "open",
                    "deposit setGoalReached enableRefunds transferOwnership",
                ),
                (
                    "reached",
                    "deposit withdraw withdrawAll close transferOwnership",
                ),
                ("refunding", "refund transferOwnership"),
                ("closed", "transferOwnership"),
            ],
            "init -> open
             open: deposit transferOwnership -> open
             open: setGoalReached -> reached
             open: enableRefunds -> refunding
             reached: deposit withdraw withdrawAll transferOwnership -> reached
             reached: close -> closed
             refunding: refund transferOwnership -> refunding
             closed: transferOwnership -> closed",
        );
    }

    #[test]
    fn two_choose() {
        check(
            "rock_paper_scissors",
            "RockPaperScissors",
            STATE,
            &[
                ("both", "choicePlayer1 choicePlayer2"),
                ("first", "choicePlayer1"),
                ("second", "choicePlayer2"),
                ("won", "determineWinner"),
            ],
            "init -> both
             both: choicePlayer1 -> second
             both: choicePlayer2 -> first
             first: choicePlayer1 -> won
             second: choicePlayer2 -> won
             won: determineWinner -> won",
        );
    }
}

/// Each of the two may be nobody. Then he never chooses, and nobody ever wins.
#[test]
fn one_of_the_two_may_be_nobody() {
    check(
        "rock_paper_scissors",
        "RockPaperScissors",
        &["--confirm"],
        &[
            ("both", "choicePlayer1 choicePlayer2"),
            ("first", "choicePlayer1"),
            ("second", "choicePlayer2"),
            ("won", "determineWinner"),
            ("dead", ""),
        ],
        "init -> both | first | second | dead
         both: choicePlayer1 -> second
         both: choicePlayer2 -> first
         first: choicePlayer1 -> won | dead
         second: choicePlayer2 -> won | dead
         won: determineWinner -> won",
    );
}

/// What `parse` prints is a class like any other, with the same EPA.
#[test]
fn the_class_that_is_printed_has_the_same_epa() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("class.tq");
    let file = "fixtures/solidity/benchmarks/two_step.json";
    let path_text = path.display().to_string();
    tranquera([
        "parse",
        file,
        "--contract",
        "TwoStep",
        "--format",
        "tq",
        "--output",
        &path_text,
    ])
    .assert()
    .success();
    let run = tranquera(["epa", &path_text, "--format", "json"])
        .env("TRANQUERA_CACHE", "off")
        .assert()
        .success();
    let again: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!(edges(&again), edges(&epa("two_step", "TwoStep", &[])));
}

/// Answers in a loop, and while the contract is made, are the outside's own: with some of them nothing reverts.
#[test]
fn what_others_answer_keeps_nobody_from_calling() {
    check(
        "/answers",
        "Payroll",
        &["--confirm"],
        &[
            ("hiring", "enlist payAll"),
            ("full", "payAll"),
            ("paid", ""),
        ],
        "init -> hiring
         hiring: enlist -> hiring | full
         hiring: payAll -> paid
         full: payAll -> paid",
    );
    check(
        "/answers",
        "Gate",
        &["--confirm"],
        &[("open", "close"), ("closed", "")],
        "init -> open
         open: close -> closed",
    );
}

/// Twelve numbers that come with the constructor are added up, once.
#[test]
fn defects_are_counted_once() {
    check(
        "defects",
        "Defects",
        &["--confirm"],
        &[("made", "computeTotal"), ("counted", "")],
        "init -> made
         made: computeTotal -> counted",
    );
}

#[test]
fn all_of_a_struct_is_read_before_any_of_it_is_written() {
    check(
        "/answers",
        "Pair",
        &["--confirm"],
        &[("right", "swap rightLeads"), ("left", "swap leftLeads")],
        "init -> right
         right: swap -> left
         right: rightLeads -> right
         left: swap -> right
         left: leftLeads -> left",
    );
}

#[test]
fn a_key_is_read_before_what_it_is_read_from_is_written() {
    check(
        "/answers",
        "Slots",
        &["--confirm"],
        &[("start", "move"), ("moved", "here")],
        "init -> start
         start: move -> moved
         moved: here -> moved",
    );
}

/// `complain` never can be called, for `raise` changes what `bid` has.
#[test]
fn arrays_and_structs_in_memory() {
    check(
        "/batches",
        "Batches",
        &["--confirm"],
        &[("none", "open"), ("open", "bid"), ("sold", "close")],
        "init -> none
         none: open -> open
         open: bid -> sold
         sold: close -> none",
    );
}

#[test]
fn what_has_two_names_in_memory_is_not_changed() {
    let file = "fixtures/solidity/batches.json";
    let run = tranquera(["epa", file, "--contract", "Names"])
        .assert()
        .code(2);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    for function in ["twice", "round"] {
        let said_so = format!(
            "error: `{function}` is not taken: changing an array or struct in memory that has two names is not taken yet"
        );
        assert!(said.contains(&said_so), "{said}");
    }
    let kept =
        "error: `keep` is not taken: storing an array of numbers as a whole is not taken yet";
    assert!(said.contains(kept), "{said}");
}

#[test]
fn what_is_not_taken_is_said_with_its_place() {
    let file = "fixtures/solidity/refused.json";
    let run = tranquera(["epa", file, "--contract", "Refused"])
        .assert()
        .code(2);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        said.contains("error: `ends` is not taken: `selfdestruct` ends the contract's life"),
        "{said}"
    );
    assert!(
        said.contains("help: leave it out: --without ends"),
        "{said}"
    );
    let run = tranquera(["epa", file, "--contract", "Nothing"])
        .assert()
        .code(2);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("there is no contract `Nothing`"), "{said}");
}

/// The states of an operation are those of the contract's own `stateOf`, where the contract's guards are looked at alone.
#[test]
fn one_operation_of_many() {
    // Who schedules without delay can execute at once; time makes waiting operations ready.
    let states = [
        ("unset", "schedule tick"),
        ("waiting", "cancel tick"),
        ("ready", "cancel execute tick"),
        ("done", "tick"),
    ];
    let graph = "init -> unset
         unset: schedule -> waiting | ready
         waiting: cancel -> unset
         waiting: tick -> waiting | ready
         ready: cancel -> unset
         ready: execute -> done
         unset: tick -> unset
         ready: tick -> ready
         done: tick -> done";
    let track = ["--guards", "state", "--track", "readyAt", "--confirm"];
    let out = [&track[..], &["--others", "out"]].concat();
    check("timelock", "Timelock", &out, &states, graph);
    // What happens to other operations changes nothing of this one.
    let with_others = states.map(|(name, enabled)| (name, format!("{enabled} others")));
    let with_others = with_others
        .iter()
        .map(|(name, enabled)| (*name, enabled.as_str()))
        .collect::<Vec<_>>();
    let loops = states.map(|(name, _)| format!("\n{name}: others -> {name}"));
    check(
        "timelock",
        "Timelock",
        &track,
        &with_others,
        &(graph.to_owned() + &loops.concat()),
    );
    // Each of the three can always be called for some other operation, as far as the state alone decides.
    let apart = [&track[..4], &["--others", "apart"]].concat();
    let theirs = ["schedule_other", "cancel_other", "execute_other"];
    let with_theirs =
        states.map(|(name, enabled)| (name, [&[enabled], &theirs[..]].concat().join(" ")));
    let with_theirs = with_theirs
        .iter()
        .map(|(name, enabled)| (*name, enabled.as_str()))
        .collect::<Vec<_>>();
    let loops = states.map(|(name, _)| format!("\n{name}: {} -> {name}", theirs.join(" ")));
    check(
        "timelock",
        "Timelock",
        &apart,
        &with_theirs,
        &(graph.to_owned() + &loops.concat()),
    );
}

/// All operations at once, by hand. Where the least delay is so long that its end is no number any more (which time brings on), nothing
/// can be scheduled; what was scheduled before with such a delay is never ready while anybody lives. So nothing can be executed there:
/// whatever waits, waits at least as long as the least delay, which is said of all operations at once.
#[test]
fn all_operations_of_a_timelock() {
    let graph = "init -> open | shut
         open: schedule -> waiting | ready
         open: tick -> open | shut
         shut: tick -> shut
         waiting: schedule -> waiting | ready
         waiting: cancel -> open | waiting
         waiting: tick -> waiting | ready | late
         ready: schedule tick -> ready
         ready: cancel execute -> open | waiting | ready
         late: cancel -> shut | late
         late: tick -> late";
    let states = [
        ("open", "schedule tick"),
        ("shut", "tick"),
        ("waiting", "schedule cancel tick"),
        ("ready", "schedule cancel execute tick"),
        ("late", "cancel tick"),
    ];
    check("timelock", "Timelock", &["--confirm"], &states, graph);
}

/// What is only counted never comes to the largest number of its type: no state is one in which nobody can count any more. (And what
/// has a phase has a seller, which is said of all lots at once.)
#[test]
fn nobody_counts_to_the_largest_number() {
    check(
        "/tracked",
        "Lots",
        &["--confirm"],
        &[("none", "offer"), ("some", "offer buy take")],
        "init -> none
         none: offer -> some
         some: offer -> some
         some: buy take -> none | some",
    );
    let all = "receive fallback pay free sendAll trySend callValue half";
    let graph = format!("init -> any\nany: {all} -> any");
    check("/ether", "Ether", &["--confirm"], &[("any", all)], &graph);
    check(
        "/order",
        "OrderBound",
        &["--confirm"],
        &[("any", "bound self")],
        "init -> any\nany: bound self -> any",
    );
}

/// A deposit is paid back once, and others are paid back as well.
#[test]
fn one_deposit_of_many() {
    check(
        "refund_escrow",
        "RefundEscrow",
        &["--track", "deposits", "--others", "apart", "--confirm"],
        &[
            (
                "open",
                "deposit deposit_other close enableRefunds transferPrimary",
            ),
            ("paying", "beneficiaryWithdraw transferPrimary"),
            ("his", "withdraw transferPrimary"),
            ("theirs", "withdraw_other transferPrimary"),
            ("all", "withdraw withdraw_other transferPrimary"),
            ("empty", "transferPrimary"),
        ],
        "init -> open
         open: deposit deposit_other transferPrimary -> open
         open: close -> paying | empty
         open: enableRefunds -> his | theirs | all | empty
         paying: beneficiaryWithdraw -> empty
         paying: transferPrimary -> paying
         his: withdraw -> empty
         his: transferPrimary -> his
         theirs: withdraw_other -> theirs | empty
         theirs: transferPrimary -> theirs
         all: withdraw -> theirs
         all: withdraw_other -> all | his
         all: transferPrimary -> all
         empty: transferPrimary -> empty",
    );
}

/// What can be called for some lot says nothing of any lot; a finding says so.
#[test]
fn one_of_many_is_proposed() {
    let epa = epa("/tracked", "Lots", &[]);
    let mut findings = list(&epa, "findings");
    let found = findings.find(|finding| text(finding, "kind") == "per-key");
    assert!(text(found.expect("a finding"), "message").contains("--track lots_phase"));
    // A part of the mapping stands for it.
    check(
        "/tracked",
        "Lots",
        &["--track", "lots_phase", "--others", "out"],
        &LOT,
        ONE_LOT,
    );
}

/// The key is who sends the message: he has voted or not, and the chair has closed or not.
#[test]
fn one_voter_of_many() {
    let graph = "init -> asked
         asked: vote -> voted
         asked: close -> closed
         voted: close -> closed
         asked: others -> asked
         voted: others -> voted
         closed: others -> closed";
    check(
        "/tracked",
        "Ballot",
        &["--track", "voted", "--confirm"],
        &[
            ("asked", "vote close others"),
            ("voted", "close others"),
            ("closed", "others"),
        ],
        graph,
    );
    // There is always somebody else who has not voted.
    check(
        "/tracked",
        "Ballot",
        &["--track", "voted", "--others", "apart"],
        &[
            ("asked", "vote vote_other close"),
            ("voted", "vote_other close"),
            ("closed", ""),
        ],
        "init -> asked
         asked: vote -> voted
         asked: vote_other -> asked
         voted: vote_other -> voted
         asked: close -> closed
         voted: close -> closed",
    );
}

/// Nobody has a role to begin with, and only who has one gives one. That `renounce` finds what it takes off the list where it
/// is, is a matter of maps of maps: Z3 looks for a model of their quantifiers for ever, and an execution in which their instances
/// hold does when it is run.
#[test]
fn members_that_are_listed() {
    check(
        "/members",
        "Members",
        &["--confirm"],
        &[("nobody", "renounce")],
        "init -> nobody
         nobody: renounce -> nobody",
    );
}

/// An address is a number of 160 bits, whoever gives it: the holder, the sender, and who signed. None is larger than the largest.
#[test]
fn addresses_as_numbers() {
    check(
        "/addresses",
        "Addresses",
        &["--confirm"],
        &[("some", "pass"), ("last", "start")],
        "init -> some
         some: pass -> some | last
         last: start -> some",
    );
}

/// The key comes with no call: an offer gets the next number.
#[test]
fn one_lot_of_many() {
    check(
        "/tracked",
        "Lots",
        &["--track", "lots", "--others", "out"],
        &LOT,
        ONE_LOT,
    );
}

/// Before its turn and after its end nothing can be done with it, and a call for another one is not looked at.
const LOT: [(&str, &str); 3] = [("next", "offer"), ("open", "buy take"), ("none", "")];
const ONE_LOT: &str = "init -> next | none
    next: offer -> open
    open: buy take -> none";

#[test]
fn what_is_followed_has_to_be_there() {
    let run = tranquera(["epa", "fixtures/solidity/benchmarks/timelock.json"])
        .args(["--track", "owners"])
        .assert()
        .code(2);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("has no mapping `owners`"), "{said}");
    assert!(said.contains("there are: readyAt"), "{said}");
}

/// A call outside that calls back, by hand. In `Store` the call that ends may owe somebody what he has taken twice: what could be
/// taken cannot be any more. In `Safe` it changes nothing. In `Locked` there is nothing in between.
#[test]
fn what_is_called_outside_may_call_back() {
    let states = [
        ("empty", "put"),
        ("owing", "put take"),
        ("empty inside", "put take_end"),
        ("owing inside", "put take take_end"),
    ];
    let taken = "init -> empty
        empty: put -> empty | owing
        owing: put -> owing
        owing: take -> empty inside | owing inside
        empty inside: put -> empty inside | owing inside
        empty inside: take_end -> empty | empty inside
        owing inside: put -> owing inside
        owing inside: take -> empty inside | owing inside";
    let words = ["--reentrant", "--confirm"];
    let twice =
        format!("{taken}\n owing inside: take_end -> empty | owing | empty inside | owing inside");
    // That everything is gone takes a run of eight calls.
    check("/reenter", "Store", &["--reentrant"], &states, &twice);
    let once = format!("{taken}\n owing inside: take_end -> owing | owing inside");
    check("/reenter", "Safe", &words, &states, &once);
    check(
        "/reenter",
        "Locked",
        &words,
        &[
            ("empty", "put"),
            ("owing", "put take"),
            ("inside", "take_end"),
        ],
        "init -> empty
         empty: put -> empty | owing
         owing: put -> owing
         owing: take -> inside
         inside: take_end -> empty | owing",
    );
}

/// The second call is made by the end of the first, with what was known before; the loop's calls do not call back. The end of the
/// second reverts where what the first one has answered is too much: then neither can end.
#[test]
fn a_call_behind_a_call() {
    check(
        "/reenter",
        "Calls",
        &["--reentrant"],
        &[
            ("none", "all both"),
            ("first", "all both both_end"),
            ("second", "all both both_end_2"),
        ],
        "init -> none
         none: all -> none
         none: both -> first
         first: all -> first
         first: both -> first
         first: both_end -> none | first | second
         second: all -> second
         second: both -> first
         second: both_end_2 -> none | first | second",
    );
}
