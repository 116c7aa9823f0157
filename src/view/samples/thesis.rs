//! The classes of the 2016 thesis, written from the reference's own tables.

use super::table;
use crate::ask::QueryCounts;
use crate::epa::Epa;
use crate::epa::wire::EpaFinding;

pub fn linear() -> Epa {
    table(
        "Linear",
        "a0,a1,a2,get_N",
        "S1={a0,get_N} S2={a1,get_N} S3={a2,get_N} S4={get_N}",
        "Linear()->S1",
        "S1: a0->S2; get_N->S1\nS2: a1->S3; get_N->S2\nS3: a2->S4; get_N->S3\nS4: get_N->S4",
    )
}

pub fn vending_machine() -> Epa {
    let mut epa = table(
        "VendingMachine",
        "DisplayPrice,Buy,ReturnChange,ReturnItem",
        "S1={DisplayPrice,Buy} S2={} S3={ReturnChange} S4={ReturnItem}",
        "VendingMachine()->S1",
        "S1: DisplayPrice->S1; Buy->S2 S3 S4\nS3: ReturnChange->S4\nS4: ReturnItem->S1",
    );
    epa.findings.push(EpaFinding {
        kind: "deadlock-state".to_owned(),
        state: Some("S2".to_owned()),
        action: None,
        message: "In S2 nothing can be called, and Buy leads there from S1.".to_owned(),
        run: None,
    });
    epa.stats.queries = QueryCounts {
        total: 48,
        reached: 20,
        unreachable: 28,
        ..QueryCounts::default()
    };
    let kinds = [
        ("transition", 8, 6, 2),
        ("necessarily enabled", 20, 7, 13),
        ("necessarily disabled", 20, 7, 13),
    ];
    epa.stats.queries_by_kind = kinds
        .into_iter()
        .map(|(kind, total, reached, unreachable)| {
            (
                kind.to_owned(),
                QueryCounts {
                    total,
                    reached,
                    unreachable,
                    ..QueryCounts::default()
                },
            )
        })
        .collect();
    epa.stats.wall_ms = 2_345;
    epa
}

pub fn finite_stack() -> Epa {
    table(
        "FiniteStack",
        "Pop,Push,get_Max,get_Next",
        "S1={Push,get_Max,get_Next} S2={Pop,Push,get_Max,get_Next} S3={Pop,get_Max,get_Next}",
        "FiniteStack()->S1 FiniteStack(int)->S1",
        "S1: Push->S2; get_Max->S1; get_Next->S1\n\
         S2: Pop->S1 S2; Push->S2 S3; get_Max->S2; get_Next->S2\n\
         S3: Pop->S2; get_Max->S3; get_Next->S3",
    )
}

pub fn door() -> Epa {
    table(
        "Door",
        "Open,Close,Start,Stop,Alarm,Safe",
        "S1={Open,Start,Alarm} S2={Close,Start,Alarm} S3={Stop,Alarm} S4={Start,Safe} S5={Stop,Safe} \
         S6={Close,Stop,Alarm}",
        "Door()->S1",
        "S1: Open->S2; Start->S3; Alarm->S4\nS2: Close->S1; Start->S3; Alarm->S4\nS3: Stop->S1; Alarm->S5\n\
         S4: Start->S5; Safe->S2\nS5: Stop->S4; Safe->S6\nS6: Close->S3; Stop->S2; Alarm->S5",
    )
}

pub fn atm() -> Epa {
    let long = |text: &str| {
        let names = [
            ("IC", "InsertCard"),
            ("EP", "EnterPassword"),
            ("TC", "TakeCard"),
            ("DM", "DisplayMainScreen"),
            ("RP", "RequestPassword"),
            ("EC", "EjectCard"),
            ("RT", "RequestTakeCard"),
            ("CM", "CanceledMessage"),
        ];
        names
            .into_iter()
            .fold(text.to_owned(), |text, (short, long)| {
                text.replace(short, long)
            })
    };
    table(
        "ATM",
        &long("IC,EP,TC,DM,RP,EC,RT,CM"),
        &long(
            "S1={IC,EP,DM,RP} S2={EP,RP,EC,CM} S3={IC,DM} S4={EC,CM} S5={IC,EP,TC,RP,RT} S6={EP,TC,RP,EC,RT,CM} \
             S7={IC,TC,RT} S8={TC,EC,RT,CM}",
        ),
        "ATM()->S1",
        &long(
            "S1: IC->S2; EP->S3; DM->S1; RP->S1\nS2: EP->S4; RP->S2; EC->S5; CM->S2\nS3: IC->S4; DM->S3\n\
             S4: EC->S5; CM->S4\nS5: IC->S6; EP->S7; TC->S1; RP->S5; RT->S5\n\
             S6: EP->S8; TC->S1; RP->S6; EC->S5; RT->S6; CM->S6\nS7: IC->S8; TC->S3; RT->S7\n\
             S8: TC->S3; EC->S5; RT->S8; CM->S8",
        ),
    )
}

pub fn list_itr() -> Epa {
    table(
        "ListItr",
        "next,previous,remove,set,add",
        "S1={add} S2={next,add} S3={previous,add} S4={next,previous,add} S5={previous,remove,set,add} \
         S6={next,previous,remove,set,add} S7={next,remove,set,add}",
        "ListItr(ArrayList,int)->S1 ListItr(ArrayList,int)->S2 ListItr(ArrayList,int)->S3 \
         ListItr(ArrayList,int)->S4",
        "S1: add->S3\nS2: next->S5 S6; add->S4\nS3: previous->S7 S6; add->S3\n\
         S4: next->S5 S6; previous->S7 S6; add->S4\n\
         S5: previous->S7 S6; remove->S1 S3; set->S5; add->S3\n\
         S6: next->S5 S6; previous->S7 S6; remove->S2 S3 S4; set->S6; add->S4\n\
         S7: next->S5 S6; remove->S1 S2; set->S7; add->S4",
    )
}
